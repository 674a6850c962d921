import { pipeline } from 'node:stream/promises'
import type { Context } from 'aws-lambda'
import { bareRequestEvent, parseFunctionUrlRequest } from '../events/function-url.ts'
import { parseTrustedIssuers, trustedIssuersQuestion } from '../events/trusted-issuers.ts'
import { openAwsDoor } from '../lib/compose/aws/door.ts'
import { deadlineSignal } from './handlers/deadline-signal.ts'
import { streamAnswer } from './handlers/stream-answer.ts'

const { door, observability } = openAwsDoor(process.env, {
  question: trustedIssuersQuestion,
  answer: parseTrustedIssuers,
  bare: bareRequestEvent,
})

/** The door of the hub's Kubernetes API: whoever is known comes through to apiserver.ts, and nobody else. */
export const handler = awslambda.streamifyResponse(async (event: object, stream, context: Context) => {
  observability.logger.addContext(context)
  const answer = await door(event, parseFunctionUrlRequest(event), deadlineSignal(context))
  if ('refusal' in answer) return streamAnswer(answer.refusal, stream)
  // As the other function wrote it: head and body.
  stream.setContentType('application/vnd.awslambda.http-integration-response')
  await pipeline(answer.stream, stream)
})
