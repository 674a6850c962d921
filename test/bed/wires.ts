import { type Connections, connections, type NetworkSettings } from '../../lib/platform/http/connections.ts'
import { endWithTest } from './teardown.ts'

/** Ways to servers outside, which go with the running test. */
export const wires = (outside?: NetworkSettings): Connections => {
  const opened = connections(outside)
  endWithTest({ [Symbol.asyncDispose]: opened.close })
  return opened
}
