import type { CustomResourceDefinition } from '../../foundations/kinds/custom-resource-definition.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { builtInDefinitions } from './built-in-definitions.ts'
import type { Hub } from './hub.ts'
import { ApiError } from './hub.ts'
import { asJson } from './json.ts'

const manager = { fieldManager: 'keelson' }

/**
 * Ensures at each start that the hub's built-in kinds exist as definitions, as in this version of the hub. Their content has no effect: the
 * hub has its kinds built in.
 */
export const bootstrapDefinitions = async (
  hub: Pick<Hub, 'create' | 'update'>,
  kinds: readonly Kind[],
  found: readonly CustomResourceDefinition[],
): Promise<void> => {
  const known = new Map(found.map(definition => [definition.metadata.name, definition]))
  for (const wanted of builtInDefinitions(kinds)) await ensure(hub, wanted, known.get(wanted.metadata.name))
}

const ensure = async (
  hub: Pick<Hub, 'create' | 'update'>,
  wanted: CustomResourceDefinition,
  found: CustomResourceDefinition | undefined,
): Promise<void> => {
  try {
    if (!found) {
      await hub.create(wanted, manager)
      return
    }
    const { metadata } = found
    const labels = { ...metadata.labels, ...wanted.metadata.labels }
    const annotations = { ...metadata.annotations, ...wanted.metadata.annotations }
    const marked = { ...metadata, labels, ...(wanted.metadata.annotations && { annotations }) }
    const next = { ...found, spec: asJson(wanted.spec), metadata: marked }
    if (!isSameJson(asJson(next), found)) await hub.update(next, manager)
  } catch (error) {
    // Another process is starting too.
    if (!(error instanceof ApiError) || (error.reason !== 'AlreadyExists' && error.reason !== 'Conflict')) throw error
  }
}
