import { type Connections, connections, type NetworkSettings } from '../../lib/platform/http/connections.ts'
import { endWithTest } from './teardown.ts'

/** Connections to external servers, closed when the test ends. */
export const wires = (outside?: NetworkSettings): Connections => {
  const opened = connections(outside)
  endWithTest({ [Symbol.asyncDispose]: opened.close })
  return opened
}
