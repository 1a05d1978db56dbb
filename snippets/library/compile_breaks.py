# /// snippet
# title.zh = "图断裂：编译成几张图"
# title.en = "Graph breaks: into how many graphs a function is compiled"
# topics = ["T62"]
# devices = ["cpu"]
# timeout = 120
# ///
import logging

import torch

logging.getLogger("torch._dynamo").setLevel(logging.ERROR)


def whole(x):
    return torch.relu(x) * 2


def with_print(x):
    y = torch.relu(x)
    print("  Python runs between two graphs")
    return y * 2


def with_branch(x):
    y = torch.relu(x)
    if y.sum().item() > 0:  # which way depends on values
        return y * 2
    return y


def with_where(x):
    y = torch.relu(x)
    return torch.where(y.sum() > 0, y * 2, y)


x = torch.ones(3)
for function in [whole, with_print, with_branch, with_where]:
    torch.compiler.reset()
    report = torch._dynamo.explain(function)(x)
    print(f"{function.__name__}: graphs {report.graph_count}, breaks {report.graph_break_count}")
for function in [with_branch, with_where]:
    torch.compiler.reset()
    try:
        result = torch.compile(function, backend="eager", fullgraph=True)(x)
        print(f"{function.__name__} with fullgraph=True:", result.tolist())
    except torch._dynamo.exc.UserError as error:
        print(f"{function.__name__} with fullgraph=True:", type(error).__name__)
