import type { Approval } from '../foundations/kinds/approval.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { fieldSelector } from './field-selector.ts'
import { approvalKind } from './fleet-kinds.ts'
import { ApiFailure, type HubApi } from './hub-api.ts'
import { listPage } from './list-page.ts'

interface Named {
  readonly namespace: string
  readonly name: string
}

/** Decisions about an object, the latest first; none if the person may not list them. */
export const readDecisions = async (
  api: HubApi,
  kind: Kind,
  { namespace, name }: Named,
  signal: AbortSignal,
): Promise<readonly Approval[]> => {
  const selected = fieldSelector({ 'spec.subject.kind': kind.kind, 'spec.subject.name': name })
  try {
    const query = { fieldSelector: selected, limit: String(maxDecisions) }
    const { items } = await listPage<Approval>(api, approvalKind, { namespace, query }, signal)
    return items.toSorted((a, b) => madeAt(b) - madeAt(a))
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 403) return []
    throw error
  }
}

const maxDecisions = 200

const madeAt = ({ metadata }: Approval): number => Date.parse(metadata.creationTimestamp ?? '') || 0
