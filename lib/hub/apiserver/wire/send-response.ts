import type { ServerResponse } from 'node:http'
import { waitForDrain } from './wait-for-drain.ts'

/**
 * Sends a response as fast as the client receives it, and reads its body no faster. Disconnects a client that receives nothing for too long,
 * as the unsent part would be held forever. Always resolves.
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
  // A body may fail while the client receives nothing and nothing is read.
  reader.closed.catch(() => outgoing.destroy())
  try {
    // Sends what is available together with the previous part: a body of one part has a content length.
    let held: Uint8Array | undefined
    while (!outgoing.destroyed) {
      const reading = reader.read()
      const early = await ifAvailable(reading)
      if (!early) held = flushed(outgoing, held)
      const { value, done } = early ?? (await reading)
      if (done) {
        outgoing.off('close', leave)
        outgoing.end(held)
        return
      }
      if (held) outgoing.write(held)
      held = value
      if (outgoing.writableNeedDrain && !(await waitForDrain(outgoing, stalledMs))) outgoing.destroy()
    }
  } catch {
    // It failed after its status was sent: the only signal left is an incomplete body.
    outgoing.destroy()
  }
}

const ifAvailable = <T>(promise: Promise<T>): Promise<T | undefined> =>
  Promise.race([promise, new Promise<undefined>(resolve => setImmediate(resolve, undefined))])

const flushed = (outgoing: ServerResponse, held: Uint8Array | undefined): undefined => {
  if (held) outgoing.write(held)
  else if (!outgoing.headersSent) outgoing.flushHeaders()
}
