import type { OciRepository } from '../../kinds/oci-repository.ts'
import type { NewCondition } from '../../rules/conditions.ts'
import { fetchStalled } from './halts.ts'
import type { Resolved } from './resolve-revision.ts'

interface Look {
  readonly object: OciRepository
}

/** What is to be said of the signatures of an artifact. Halts unless somebody who is trusted has signed it. */
export const verifySignature = async (
  { object }: Look,
  _resolved: Resolved,
  _isNew: boolean,
): Promise<Readonly<Record<string, NewCondition | null>>> => {
  if (!object.spec.verify) return { SourceVerified: null }
  throw fetchStalled('NotSupported', 'spec.verify: not supported by Keelson yet')
}
