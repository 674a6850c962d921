/** The rules of a ClusterRole with an aggregationRule. Pure. */

import type { ClusterRole, LabelSelector } from '../../foundations/kinds/cluster-role.ts'
import type { PolicyRule } from '../../foundations/kinds/policy-rule.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { parseLabelSelector } from '../store/label-selector.ts'

/**
 * The rules of all other ClusterRoles that a selector matches, by name and without duplicates, as in Kubernetes' controller. `rulesOf`
 * returns the rules of another role, which may be aggregated itself.
 */
export const aggregatedRules = (
  role: ClusterRole,
  all: readonly ClusterRole[],
  rulesOf: (other: ClusterRole) => readonly PolicyRule[],
): readonly PolicyRule[] => {
  const selectors = (role.aggregationRule?.clusterRoleSelectors ?? []).map(selects)
  const rules: PolicyRule[] = []
  for (const matches of selectors) {
    const chosen = all
      .filter(other => other.metadata.name !== role.metadata.name && matches(other.metadata.labels ?? {}))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    for (const rule of chosen.flatMap(rulesOf)) if (!rules.some(known => isSameJson(known, rule))) rules.push(rule)
  }
  return rules
}

const operators: Readonly<Record<string, (key: string, values: readonly string[]) => string>> = {
  In: (key, values) => `${key} in (${values.join(',')})`,
  NotIn: (key, values) => `${key} notin (${values.join(',')})`,
  Exists: key => key,
  DoesNotExist: key => `!${key}`,
}

/** A label selector as a function; an empty one matches everything. */
const selects = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector) =>
  parseLabelSelector(
    [
      ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
      ...matchExpressions.map(
        ({ key, operator, values = [] }) => operators[operator]?.(key, values) ?? `${key},!${key}`,
      ),
    ].join(','),
  )
