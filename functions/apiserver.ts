import type { Writable } from 'node:stream'
import type { Context } from 'aws-lambda'
import { functionUrlClient, parseFunctionUrlRequest } from '../events/function-url.ts'
import { isStoreFleetRequest } from '../events/store-fleet.ts'
import { isTrustedIssuersRequest } from '../events/trusted-issuers.ts'
import { type AwsApi, awsApi } from '../lib/compose/aws/api.ts'
import { requestSignal } from './handlers/deadline-signal.ts'
import { hub } from './handlers/function-hub.ts'
import { streamResponse } from './handlers/stream-response.ts'

let api: AwsApi | undefined

/** The hub's Kubernetes API, invoked by its proxy (api.ts). Responses are streamed, so that watches report changes as they happen. */
export const handler = awslambda.streamifyResponse(async (event: unknown, stream, context: Context) => {
  hub.observability.logger.addContext(context)
  api ??= awsApi(hub, context.invokedFunctionArn.split(':')[4]!)
  try {
    if (isTrustedIssuersRequest(event)) stream.end(JSON.stringify(await api.trustedIssuers()))
    else if (isStoreFleetRequest(event)) stream.end(JSON.stringify(await api.storeFleet()))
    else await serve(api, event, stream, context)
  } finally {
    await Promise.all([hub.hub.settled(), api.settled()])
  }
})

const serve = async ({ serve }: AwsApi, event: unknown, stream: Writable, context: Context): Promise<void> => {
  const request = parseFunctionUrlRequest(event, requestSignal(event, context))
  const sent = Promise.withResolvers<void>()
  try {
    await streamResponse(await serve(request, undefined, sent.promise, functionUrlClient(event)), stream)
  } finally {
    sent.resolve()
    await sent.promise // what waits for it has begun
  }
}
