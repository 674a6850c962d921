import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Context } from 'aws-lambda'
import { bareRequestEvent, parseFunctionUrlRequest } from '../events/function-url.ts'
import { parseTrustedIssuers, trustedIssuersRequest } from '../events/trusted-issuers.ts'
import { openAwsApiProxy } from '../lib/compose/aws/api-proxy.ts'
import { deadlineSignal } from './handlers/deadline-signal.ts'
import { streamResponse } from './handlers/stream-response.ts'

const { proxy, observability } = openAwsApiProxy(
  process.env,
  {
    issuersRequest: trustedIssuersRequest,
    parseIssuers: parseTrustedIssuers,
    bare: bareRequestEvent,
  },
  join(import.meta.dirname, 'console'),
)

/** The authenticating proxy in front of the hub's Kubernetes API (apiserver.ts), and the console's pages. */
export const handler = awslambda.streamifyResponse(async (event: object, stream, context: Context) => {
  observability.logger.addContext(context)
  const result = await proxy(event, parseFunctionUrlRequest(event), deadlineSignal(context))
  if ('response' in result) return streamResponse(result.response, stream)
  // What apiserver streams has a head already.
  stream.setContentType('application/vnd.awslambda.http-integration-response')
  await pipeline(result.stream, stream)
})
