/** Fields that an apply would change although others own them. */
import type { Element } from './field-set.ts'
import { pathsOf } from './field-set.ts'
import { describePath } from './fields-v1.ts'
import type { Ownership } from './managed-fields.ts'

export interface Conflict {
  readonly owner: Omit<Ownership, 'fields'>
  readonly path: readonly Element[]
}

/** The error of an apply without force: HTTP 409, reason Conflict, with a cause per field. */
export class ApplyConflict extends Error {
  readonly conflicts: readonly Conflict[]
  /** As StatusCauses: reason FieldManagerConflict. */
  readonly causes: readonly { readonly reason: string; readonly message: string; readonly field: string }[]
  constructor(conflicts: readonly Conflict[]) {
    super(describeConflicts(conflicts))
    this.name = 'ApplyConflict'
    this.conflicts = conflicts
    this.causes = conflicts.map(({ owner, path }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${describeOwner(owner)}`,
      field: describePath(path),
    }))
  }
}

/** The conflicts with these owners, each given with only the fields in conflict. */
export const conflictsWith = (owners: readonly Ownership[]): Conflict[] =>
  owners
    .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
    .flatMap(({ fields, ...owner }) => [...pathsOf(fields)].map(path => ({ owner, path })))

const sortKey = ({ manager, operation, apiVersion, subresource = '' }: Ownership): string =>
  JSON.stringify([manager, operation, apiVersion, subresource])

const describeConflicts = (conflicts: readonly Conflict[]): string => {
  const [first] = conflicts
  if (first && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${describeOwner(first.owner)}: ${describePath(first.path)}`
  const byOwner = Map.groupBy(conflicts, ({ owner }) => describeOwner(owner))
  const lines = [...byOwner].flatMap(([owner, owned]) => [
    `conflicts with ${owner}:`,
    ...owned.map(({ path }) => `- ${describePath(path)}`),
  ])
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`
}

const describeOwner = ({ manager, operation, apiVersion, subresource }: Conflict['owner']): string => {
  const name = subresource ? `"${manager}" with subresource "${subresource}"` : `"${manager}"`
  return operation === 'Update' ? `${name} using ${apiVersion}` : name
}
