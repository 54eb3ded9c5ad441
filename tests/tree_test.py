"""The tree itself: no include cycle, no folder one gets lost in, a namespace per folder of src/, and the picture in
ARCHITECTURE.md is true."""
import collections
import importlib.machinery
import importlib.util
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
MOST_FILES = 25
NAMESPACES = {"cmi": "estimation"}  # macmi::cmi is a public function


def load_folder_graph():
    loader = importlib.machinery.SourceFileLoader("folder_graph", str(ROOT / "tools" / "folder_graph"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("folder_graph", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def cycle(edges):
    """Nodes that lie on a cycle or behind one: what is left once nodes that nothing points to are taken away."""
    left = {node for pair in edges for node in pair}
    while True:
        free = {node for node in left if not any(a in left and b == node for a, b in edges)}
        if not free:
            return sorted(left)
        left -= free


def declared(text):
    """Names that lines at the margin declare or define, not those in anonymous namespaces; of a member its class."""
    text = re.sub(r"^namespace \{\n.*?^\}  // namespace\n", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"//[^\n]*", "", text)
    types = re.findall(r"^(?:class|struct|enum class) (\w+)", text, re.MULTILINE)
    functions = re.findall(r"^(?!class |struct |enum )[A-Za-z][^\n(=]*?(?<![\w:<])((?:\w+::)*~?\w+)\(", text,
                           re.MULTILINE)
    return {name.split("::")[0] for name in types + functions}


def blocks(text):
    """The namespaces that a file opens at the margin, each with its body."""
    return re.findall(r"^namespace (macmi[\w:]*) \{\n(.*?)^\}  // namespace \1$", text, re.DOTALL | re.MULTILINE)


class TreeTest(unittest.TestCase):
    graph = load_folder_graph()
    files = graph.sources()

    def test_the_search_for_cycles_finds_one(self):
        self.assertEqual(cycle([("a", "b"), ("b", "c"), ("c", "b")]), ["b", "c"])
        self.assertEqual(cycle([("a", "b"), ("b", "c"), ("a", "c")]), [])

    def test_no_file_includes_itself_through_others(self):
        self.assertGreater(len(self.files), 200)
        self.assertEqual(cycle([(name, other) for name, included in self.files.items() for other in included]), [])

    def test_no_folder_includes_itself_through_others(self):
        self.assertEqual(cycle(self.graph.edges(self.files)), [])

    def test_no_folder_has_too_many_files_beside_each_other(self):
        beside = collections.Counter(path.parent for path in (ROOT / "src").rglob("*") if path.is_file())
        self.assertEqual([str(folder) for folder, count in beside.items() if count > MOST_FILES], [])

    def test_the_search_for_declared_names_finds_them(self):
        text = "int one(int);\nnamespace {\nint two() {\n}\n}  // namespace\nint Three::four() {\n}\nstruct Five {\n"
        self.assertEqual(declared(text), {"one", "Three", "Five"})

    def test_every_file_is_in_the_namespace_of_its_folder(self):
        public = set()
        for header in (ROOT / "include" / "macmi").glob("*.hpp"):
            for _, body in blocks(header.read_text(encoding="utf-8")):
                public |= declared(body)
        self.assertGreater(len(public), 100)
        for name in self.files:
            if name.startswith("cluster/mpi/"):
                continue  # a library of its own, with C functions
            folder = self.graph.room(name)
            own = "macmi::" + NAMESPACES.get(folder, folder)
            opened = blocks((ROOT / "src" / name).read_text(encoding="utf-8"))
            self.assertTrue(opened, f"{name} opens no namespace")
            for namespace, body in opened:
                if namespace == "macmi":
                    self.assertEqual(declared(body) - public, set(), f"{name} declares these in macmi instead of {own}")
                else:
                    self.assertEqual((namespace + "::")[:len(own) + 2], own + "::", name)

    def test_the_picture_in_the_architecture_is_the_tree(self):
        self.assertIn(self.graph.picture(self.files), (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"),
                      "tools/folder_graph --write draws it again")


if __name__ == "__main__":
    unittest.main()
