import { refKey, refOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { ClusterClient } from '../client/client.ts'
import type { Accepted } from './apply-engine.ts'
import { type Definition, isDefinition, versionsOf } from './definition.ts'
import type { Health } from './health.ts'

export interface ChangedSchemas {
  /** Returns those of the given definitions whose changed schema the API server does not use yet. */
  unserved(definitions: readonly Definition[]): Promise<readonly Health[]>
}

const none: ChangedSchemas = { unserved: async () => [] }

/**
 * Records, before definitions are written, which schemas the cluster serves. An API server needs a moment to serve a
 * changed one, and its definition's status does not show that; until then it prunes new fields from requests
 * and refuses new values. Its OpenAPI documents show when it is done.
 */
export const changedSchemas = async (
  cluster: ClusterClient,
  accepted: readonly Accepted[],
  signal?: AbortSignal,
): Promise<ChangedSchemas> => {
  const before = new Map(
    accepted.flatMap(({ verdict }) =>
      verdict.action === 'configured' && isDefinition(verdict.live)
        ? [[refKey(refOf(verdict.live)), verdict.live]]
        : [],
    ),
  )
  if (before.size === 0) return none
  const served = await cluster.schemaHashes({ signal })
  const affected = (definition: Definition) =>
    changedVersions(before.get(refKey(refOf(definition))), definition).filter(version => served.has(version))
  return {
    unserved: async definitions => {
      const changed = definitions.filter(definition => affected(definition).length > 0)
      if (changed.length === 0) return []
      const now = await cluster.schemaHashes({ signal })
      return changed
        .filter(definition => affected(definition).some(version => now.get(version) === served.get(version)))
        .map(definition => ({
          ref: refOf(definition),
          status: 'InProgress',
          message: 'the API server does not serve the changed schema yet',
        }))
    },
  }
}

/** The apiVersions whose validation has changed. */
const changedVersions = (before: Definition | undefined, after: Definition): readonly string[] => {
  if (!before) return []
  const schemaBefore = new Map(versionsOf(before).map(({ name, schema }) => [name, schema]))
  return versionsOf(after)
    .filter(({ name, served, schema }) => served && !isSameJson(schema, schemaBefore.get(name)))
    .map(({ name }) => `${after.spec.group}/${name}`)
}
