import { pipeline } from 'node:stream/promises'
import type { Context } from 'aws-lambda'
import { bareRequestEvent, parseFunctionUrlRequest } from '../events/function-url.ts'
import { parseTrustedIssuers, trustedIssuersRequest } from '../events/trusted-issuers.ts'
import { openAwsApiProxy } from '../lib/compose/aws/api-proxy.ts'
import { deadlineSignal } from './handlers/deadline-signal.ts'
import { streamAnswer } from './handlers/stream-answer.ts'

const { proxy, observability } = openAwsApiProxy(process.env, {
  issuersRequest: trustedIssuersRequest,
  parseIssuers: parseTrustedIssuers,
  bare: bareRequestEvent,
})

/** The authenticating proxy in front of the hub's Kubernetes API (apiserver.ts). */
export const handler = awslambda.streamifyResponse(async (event: object, stream, context: Context) => {
  observability.logger.addContext(context)
  const answer = await proxy(event, parseFunctionUrlRequest(event), deadlineSignal(context))
  if ('response' in answer) return streamAnswer(answer.response, stream)
  // What apiserver streams has a head already.
  stream.setContentType('application/vnd.awslambda.http-integration-response')
  await pipeline(answer.stream, stream)
})
