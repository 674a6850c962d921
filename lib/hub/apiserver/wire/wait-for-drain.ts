import type { Writable } from 'node:stream'

/** Waits until written data was received. False if the client disconnected, or received nothing for too long. */
export const waitForDrain = (outgoing: Writable, stalledMs: number): Promise<boolean> =>
  new Promise(resolve => {
    const settle = (isDrained: boolean) => {
      clearTimeout(timer)
      outgoing.off('drain', onDrain)
      outgoing.off('close', onEnd)
      resolve(isDrained)
    }
    const onDrain = () => settle(true)
    const onEnd = () => settle(false)
    // Not before pending input was processed: the process may have been busy itself.
    const timer = setTimeout(() => setImmediate(onEnd), stalledMs)
    outgoing.on('drain', onDrain).on('close', onEnd)
  })
