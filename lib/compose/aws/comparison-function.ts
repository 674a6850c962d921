import type { Compared } from '../../foundations/fleet/comparison.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { Compare } from '../../hub/live/comparison-reports.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import { type FunctionResponse, type InvokedFunction, invokeFunction } from './invoke-function.ts'
import { packText, unpackText } from './packed-text.ts'

/** A request to the function `apply`, or, for a ResourceSet, `resourceset`. */
export interface CompareRequest {
  readonly operation: 'compare'
  readonly unit: ObjectRef
}

/** A little longer than a comparison may take, for a function that has to start. */
const timeoutMs = 65_000

/** Compares units by the function that applies them, which has their identities on clusters. Fails with CloudError if it does not respond. */
export const compareByFunction = (
  cloud: Pick<AmbientPorts, 'fetch' | 'clock' | 'environment'>,
  invoked: InvokedFunction,
): Compare => {
  const invoke = invokeFunction(cloud, invoked, { what: 'compare', timeoutMs })
  return async unit => {
    const request: CompareRequest = { operation: 'compare', unit }
    return JSON.parse(unpackText(await invoke(request))) as Compared
  }
}

/** The response of the function. Fails if the hub itself can't be read. */
export const handleComparison = async (compare: Compare, { unit }: CompareRequest): Promise<FunctionResponse> => ({
  value: packText(JSON.stringify(await compare(unit))),
})
