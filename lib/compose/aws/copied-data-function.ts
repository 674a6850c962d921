import { type ResourceSet, resourceSet } from '../../foundations/kinds/resource-set.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import type { CopiedSources } from '../../reconcile/runner/data-of-set.ts'
import { type FunctionResponse, type InvokedFunction, invokeFunction } from './invoke-function.ts'
import { packText, unpackText } from './packed-text.ts'

/** A request to the function `resourceset`. */
export interface CopiedDataRequest {
  readonly operation: 'copiedData'
  readonly set: { readonly namespace: string; readonly name: string }
}

/** A little longer than rendering a set may take, for a function that has to start. */
const timeoutMs = 15_000

/** Finds what ResourceSets copy by the function that renders them. Fails with CloudError if it does not respond. */
export const copiedSourcesByFunction = (
  cloud: Pick<AmbientPorts, 'fetch' | 'clock' | 'environment'>,
  invoked: InvokedFunction,
): CopiedSources => {
  const invoke = invokeFunction(cloud, invoked, { what: 'find what a ResourceSet copies', timeoutMs })
  return async ({ metadata: { namespace = '', name } }) => {
    const request: CopiedDataRequest = { operation: 'copiedData', set: { namespace, name } }
    return JSON.parse(unpackText(await invoke(request)))
  }
}

/** The response of the function, or why the set can't be rendered. A set that does not exist copies nothing. */
export const handleCopiedData = async (
  hub: Pick<Hub, 'get'>,
  copiedSources: CopiedSources,
  { set: place }: CopiedDataRequest,
): Promise<FunctionResponse> => {
  const set = await hub.get<ResourceSet>({ group: resourceSet.group, kind: resourceSet.kind, ...place })
  try {
    return { value: packText(JSON.stringify(set ? await copiedSources(set) : [])) }
  } catch (error) {
    return { error: errorMessage(error) }
  }
}
