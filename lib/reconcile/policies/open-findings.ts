import { asBuilt } from '../../clusters/apply/open-changes.ts'
import type { ClusterClient } from '../../clusters/client/client.ts'
import type { HeadFinding, OpenBuilds } from '../../foundations/fleet/head-plan.ts'
import type { ChangePolicy } from '../../foundations/kinds/change-policy.ts'
import { type ChangeToJudge, judgeChanges, type PolicyFinding } from './judge-changes.ts'

/**
 * Judges a change, for readers of the repository, too: a message is open if builds that know nothing but the repository lead to the same one. A message
 * may contain any live value, and names.
 */
export const judgeOpenly = async (
  policies: readonly ChangePolicy[],
  change: ChangeToJudge,
  builds: OpenBuilds,
  cluster: Pick<ClusterClient, 'resourceFor'>,
): Promise<readonly HeadFinding[]> => {
  const { findings } = await judgeChanges(policies, change, cluster)
  if (findings.length === 0) return []
  const changes = asBuilt(change.planned.changes, builds)
  const known = await judgeChanges(policies, { ...change, planned: { ...change.planned, changes } }, cluster)
  const said = new Set(known.findings.map(keyOf))
  return findings.map(finding => ({ ...finding, isOpen: said.has(keyOf(finding)) }))
}

const keyOf = ({ policy, message }: PolicyFinding): string => `${policy} ${message}`
