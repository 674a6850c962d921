import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { functionUrlHead } from '../../events/function-url.ts'

/** Writes a response to the stream of a function URL; resolves when all of it is written. */
export const streamAnswer = async (response: Response, stream: Writable): Promise<void> => {
  const answer = awslambda.HttpResponseStream.from(stream as never, { ...functionUrlHead(response) })
  answer.write('') // sends the head: a watch may write nothing else for a while
  if (response.body) await pipeline(Readable.fromWeb(response.body as never), answer)
  else answer.end()
}
