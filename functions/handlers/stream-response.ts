import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { functionUrlHead } from '../../events/function-url.ts'

/** Writes a response to the stream of a function URL; resolves when all of it is written. */
export const streamResponse = async (response: Response, stream: Writable): Promise<void> => {
  const streamed = awslambda.HttpResponseStream.from(stream as never, { ...functionUrlHead(response) })
  streamed.write('') // sends the head: a watch may write nothing else for a while
  if (response.body) await pipeline(Readable.fromWeb(response.body as never), streamed)
  else streamed.end()
}
