/** Whether some rules cover other rules, as Kubernetes requires of a user who grants them. Pure. */

import type { PolicyRule } from '../../foundations/kinds/policy-rule.ts'
import { goList } from '../../foundations/kinds/schema/field-error.ts'
import { coversPath, coversPlural } from './rule-matching.ts'

/** Maximum number of single permissions to compare; above it, rules must be simplified or split. */
const maxPermissions = 20_000

/** A rule has too many single permissions to compare. */
export class TooManyPermissions extends Error {}

/**
 * The single permissions of the wanted rules that the held ones don't cover, merged again if they are for one resource. Fails with
 * TooManyPermissions.
 */
export const missingRules = (held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] => {
  const isHeld = (rule: PolicyRule) => held.some(owned => covers(owned, rule))
  return compact(wanted.filter(rule => !isHeld(rule)).flatMap(rule => single(rule).filter(part => !isHeld(part))))
}

const covers = (held: PolicyRule, wanted: PolicyRule): boolean => {
  const { resourceNames = [], nonResourceURLs = [], apiGroups = [], resources = [] } = wanted
  const names = held.resourceNames ?? []
  return (
    hasAll(held.verbs, wanted.verbs) &&
    hasAll(held.apiGroups, apiGroups) &&
    resources.every(resource => coversPlural(held.resources, resource)) &&
    nonResourceURLs.every(path => coversPath(held.nonResourceURLs, path)) &&
    (names.length === 0 || (resourceNames.length > 0 && resourceNames.every(name => names.includes(name))))
  )
}

const hasAll = (held: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  held.includes('*') || wanted.every(item => held.includes(item))

/** A rule for each verb on each resource or path. */
const single = (rule: PolicyRule): PolicyRule[] => {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const names = resourceNames.length > 0 ? resourceNames.map(name => [name]) : [undefined]
  const size = verbs.length * (apiGroups.length * resources.length * names.length + nonResourceURLs.length)
  if (size > maxPermissions) throw new TooManyPermissions(`a rule expands to more than ${maxPermissions} permissions`)
  return verbs.flatMap(verb => [
    ...apiGroups.flatMap(group =>
      resources.flatMap(resource =>
        names.map(name => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          ...(name && { resourceNames: name }),
        })),
      ),
    ),
    ...nonResourceURLs.map(path => ({ verbs: [verb], nonResourceURLs: [path] })),
  ])
}

const compact = (rules: readonly PolicyRule[]): readonly PolicyRule[] => {
  const byResource = new Map<string, PolicyRule>()
  const others: PolicyRule[] = []
  for (const rule of rules) {
    if (rule.nonResourceURLs) {
      others.push(rule)
      continue
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames])
    const known = byResource.get(key)
    byResource.set(key, known ? { ...known, verbs: [...known.verbs, ...rule.verbs] } : rule)
  }
  return [...others, ...byResource.values()]
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export const describeRule = (rule: PolicyRule): string => {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const
  return `{${parts
    .filter(([, list]) => list && list.length > 0)
    .map(([name, list]) => `${name}:${goList(list!)}`)
    .join(', ')}}`
}
