import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Context } from 'aws-lambda'
import { functionUrlHead, parseFunctionUrlRequest } from '../events/function-url.ts'
import { awsApi } from '../lib/compose/aws/api.ts'
import { requestSignal } from './handlers/deadline-signal.ts'
import { hub } from './handlers/function-hub.ts'

let serve: ((request: Request) => Promise<Response>) | undefined

/** The hub's Kubernetes API. Responses are streamed, so that watches report changes as they happen. */
export const handler = awslambda.streamifyResponse(async (event: unknown, stream, context: Context) => {
  hub.observability.logger.addContext(context)
  serve ??= awsApi(hub, context.invokedFunctionArn.split(':')[4]!)
  const response = await serve(parseFunctionUrlRequest(event, requestSignal(event, context)))
  const answer = awslambda.HttpResponseStream.from(stream, { ...functionUrlHead(response) })
  answer.write('') // sends the head: a quiet watch has nothing else to say for a while
  if (response.body) await pipeline(Readable.fromWeb(response.body as never), answer)
  else answer.end()
  await hub.hub.settled()
})
