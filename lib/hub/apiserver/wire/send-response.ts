import type { ServerResponse } from 'node:http'
import { drained } from './drained.ts'

/**
 * Sends an answer as fast as the client takes it, and reads no more of its body than that. Who takes nothing for so long is
 * cut off, as what was not sent would be held for ever. Resolves in any case.
 */
export const sendResponse = async (response: Response, outgoing: ServerResponse, stalledMs: number): Promise<void> => {
  outgoing.statusCode = response.status
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value)
  const reader = response.body?.getReader()
  if (!reader) {
    outgoing.end()
    return
  }
  const leave = () => void reader.cancel().catch(() => {})
  outgoing.once('close', leave)
  // A body may break off while the client takes nothing, and nothing is read.
  reader.closed.catch(() => outgoing.destroy())
  try {
    // What is there at once goes with the part before it: a body of one part is sent with its length.
    let held: Uint8Array | undefined
    while (!outgoing.destroyed) {
      const reading = reader.read()
      const early = await ifAtOnce(reading)
      if (!early) held = flushed(outgoing, held)
      const { value, done } = early ?? (await reading)
      if (done) {
        outgoing.off('close', leave)
        outgoing.end(held)
        return
      }
      if (held) outgoing.write(held)
      held = value
      if (outgoing.writableNeedDrain && !(await drained(outgoing, stalledMs))) outgoing.destroy()
    }
  } catch {
    // It failed halfway, when its status was long sent: all that can be said is that it is not whole.
    outgoing.destroy()
  }
}

const ifAtOnce = <T>(promise: Promise<T>): Promise<T | undefined> =>
  Promise.race([promise, new Promise<undefined>(resolve => setImmediate(resolve, undefined))])

const flushed = (outgoing: ServerResponse, held: Uint8Array | undefined): undefined => {
  if (held) outgoing.write(held)
  else if (!outgoing.headersSent) outgoing.flushHeaders()
}
