import type { Writable } from 'node:stream'

/** Waits until what was written is taken. False when the client has gone, or takes nothing for so long. */
export const drained = (outgoing: Writable, stalledMs: number): Promise<boolean> =>
  new Promise(resolve => {
    const settle = (isDrained: boolean) => {
      clearTimeout(timer)
      outgoing.off('drain', onDrain)
      outgoing.off('close', onEnd)
      resolve(isDrained)
    }
    const onDrain = () => settle(true)
    const onEnd = () => settle(false)
    // Not before what has come in meanwhile was looked at: the process may have been busy itself.
    const timer = setTimeout(() => setImmediate(onEnd), stalledMs)
    outgoing.on('drain', onDrain).on('close', onEnd)
  })
