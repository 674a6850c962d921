"""Runs the emulator until stdin closes: so it ends with whoever started it, however that ended."""

import json
import os
import re
import signal
import sys
import threading


def end_with_stdin():
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGKILL)  # the Lambda workers too: the emulator leads a process group of its own


threading.Thread(target=end_with_stdin, daemon=True).start()

from ministack.core import iam_actions  # noqa: E402

# What the emulator does not tell policies by itself, AWS does: the partition keys that a request names, and the encryption context of a data
# key. Without these, every condition on `dynamodb:LeadingKeys` by `ForAllValues` would hold.


def fields_of(body):
    try:
        data = json.loads(body or b"{}")
    except (ValueError, UnicodeDecodeError):
        return {}
    return data if isinstance(data, dict) else {}


def partition_key_in(request):
    item = request.get("Key") or request.get("Item") or {}
    if "pk" in item:
        return item["pk"].get("S")
    condition = re.match(r"\s*\(*\s*#?\w+\s*=\s*(:\w+)", request.get("KeyConditionExpression") or "")
    return request["ExpressionAttributeValues"][condition[1]].get("S") if condition else None


def requests_in(data):
    yield data
    for step in data.get("TransactItems") or []:
        yield from step.values()
    for batch in (data.get("RequestItems") or {}).values():
        for entry in batch.get("Keys", []) if isinstance(batch, dict) else []:
            yield {"Key": entry}
        for entry in batch if isinstance(batch, list) else []:
            yield from entry.values()


dynamodb_context = iam_actions.dynamodb_service_context


def with_leading_keys(body):
    keys = [key for request in requests_in(fields_of(body)) if (key := partition_key_in(request)) is not None]
    return {**dynamodb_context(body), **({"dynamodb:LeadingKeys": keys} if keys else {})}


iam_actions.dynamodb_service_context = with_leading_keys

tag_context = iam_actions.request_tag_context


def with_encryption_context(service, action, body, params):
    context = fields_of(body).get("EncryptionContext") if service == "kms" else None
    named = {f"kms:EncryptionContext:{name}": value for name, value in (context or {}).items()}
    return {**tag_context(service, action, body, params), **named}


iam_actions.request_tag_context = with_encryption_context

# On AWS, permission for the single operation is permission for its batch: SQS has no actions for batches.
BATCHES = {name + "Batch": name for name in ("SendMessage", "DeleteMessage", "ChangeMessageVisibility")}
action_in = iam_actions._action_from_target
iam_actions._action_from_target = lambda headers: BATCHES.get(action_in(headers), action_in(headers))

# What streams is invoked by the same right as all else.
lambda_action = iam_actions._lambda_action
iam_actions._lambda_action = lambda method, path: (
    "InvokeFunction" if path.endswith("/response-streaming-invocations") else lambda_action(method, path)
)

# Actions on a log stream ask for the stream, as a policy for the ARN of a log group, which ends in `:*`, expects.
resource_arn = iam_actions.extract_resource_arn


def with_log_stream(service, method, path, headers, body, *others):
    arn = resource_arn(service, method, path, headers, body, *others)
    stream = fields_of(body).get("logStreamName") if service == "logs" else None
    return f"{arn}:log-stream:{stream}" if stream and arn != "*" else arn


iam_actions.extract_resource_arn = with_log_stream

from ministack.services import eks  # noqa: E402

# The emulator's EKS runs a cluster in Docker. Without Docker it has no certificate authority; if it only fails to start, it has one, as on AWS.
eks._get_docker = lambda: object()

from hypercorn.config import Config  # noqa: E402

# AWS has room for every connection that a process opens at once. The default of 100 would make the kernel drop some while the emulator is busy.
Config.backlog = 1024

from ministack.app import main  # noqa: E402

sys.argv = ["ministack"]
main()
