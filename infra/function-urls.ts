import {
  type FunctionUrl,
  FunctionUrlAuthType,
  InvokeMode,
  type Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda'

/**
 * The URL of the API proxy. Lambda itself authenticates nobody, as clients send bearer tokens. It streams responses, which watches need.
 */
export const apiUrl = (api: LambdaFunction): FunctionUrl =>
  api.addFunctionUrl({ authType: FunctionUrlAuthType.NONE, invokeMode: InvokeMode.RESPONSE_STREAM })

/** The URL of webhooks. Receivers have unguessable paths, and signatures are checked. */
export const webhookUrl = (webhook: LambdaFunction): FunctionUrl =>
  webhook.addFunctionUrl({ authType: FunctionUrlAuthType.NONE, invokeMode: InvokeMode.BUFFERED })
