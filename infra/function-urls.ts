import {
  type FunctionUrl,
  FunctionUrlAuthType,
  InvokeMode,
  type Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda'

/**
 * The door of the hub's Kubernetes API. Callers prove themselves by bearer tokens, so Lambda lets everybody pass; and watches need the
 * response to stream.
 */
export const apiUrl = (api: LambdaFunction): FunctionUrl =>
  api.addFunctionUrl({ authType: FunctionUrlAuthType.NONE, invokeMode: InvokeMode.RESPONSE_STREAM })

/** Where forges post to: the path of a Receiver can't be guessed, and its signature is checked. */
export const webhookUrl = (webhook: LambdaFunction): FunctionUrl =>
  webhook.addFunctionUrl({ authType: FunctionUrlAuthType.NONE, invokeMode: InvokeMode.BUFFERED })
