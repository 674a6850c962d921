import type { HeadFinding, OpenChange, PlannedHead } from '../../foundations/fleet/head-plan.ts'
import { type PlanCounts, plannedCounts } from '../../foundations/kinds/plan.ts'
import { describeTarget } from '../../foundations/kinds/target-reference.ts'
import type { PlannedUnit, PlannedUnits } from './plan-units.ts'

/** What a comment says. */
export interface DescribedPlans extends PlannedUnits {
  /** Commit of the head. */
  readonly commit: string
  readonly base: string
  /** Why heads could not be fetched: reasons of conditions. */
  readonly unfetched: readonly { readonly source: string; readonly reason: string }[]
}

export interface CommentOptions {
  /** First line, which a reader does not see. */
  readonly marker: string
  readonly maxLength: number
  /** Whether `<details>` can be unfolded. */
  readonly folds: boolean
}

/** Counts of all units together, for readers of the units. */
export const totalOf = (units: readonly PlannedUnit[]): PlanCounts => sumOf(units, ({ counts }) => counts)

const sumOf = (units: readonly PlannedUnit[], countsOf: (plan: PlannedHead) => PlanCounts): PlanCounts => {
  const total: Record<string, number> = {}
  for (const { plan } of units)
    if (plan.type === 'planned')
      for (const [action, count] of Object.entries(countsOf(plan))) total[action] = (total[action] ?? 0) + (count ?? 0)
  return total
}

/** Counts for readers of the repository: of what they see. */
const openCountsOf = ({ changes }: PlannedHead): PlanCounts =>
  Object.fromEntries([...Map.groupBy(changes, ({ action }) => action)].map(([action, of]) => [action, of.length]))

/** How many units the head would break: their build fails, or the cluster or a policy refuses a change. */
export const failuresIn = (units: readonly PlannedUnit[]): number =>
  units.filter(({ plan }) => plan.type === 'failed' || (plan.type === 'planned' && isRefused(plan))).length

const isRefused = (plan: PlannedHead): boolean => plan.refused.length > 0 || isDenied(plan)

const isDenied = ({ policies }: PlannedHead): boolean => policies.some(({ action }) => action === 'Deny')

/** In at most 140 characters: the description of a commit's status. */
export const summaryOf = ({ reached, left, unfetched }: Omit<DescribedPlans, 'commit' | 'base'>): string => {
  if (unfetched.length > 0) return `The head could not be fetched: ${unfetched[0]!.reason}`.slice(0, 140)
  const failed = failuresIn(reached)
  const isPlanned = reached.some(({ plan }) => plan.type === 'planned')
  const changes = plannedCounts(sumOf(reached, openCountsOf)) || (isPlanned && failed === 0 ? 'no changes' : '')
  const skipped = left + reached.filter(({ plan }) => plan.type === 'skipped').length
  const parts = [
    reached.length === 0 ? 'No unit changes' : [count(reached.length, 'unit'), changes].filter(Boolean).join(': '),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} not planned`] : []),
  ]
  return parts.join(', ')
}

/** The comment, in Markdown, within its limit: diffs that don't fit are counted. */
export const describePlans = (plans: DescribedPlans, { marker, maxLength, folds }: CommentOptions): string => {
  const { commit, base, reached, left, unfetched } = plans
  const head = [
    ...[marker, '', `### Plan of ${code(commit.slice(0, 12))} for ${code(base)}: ${plainly(summaryOf(plans))}`, ''],
    ...unfetched.map(({ source, reason }) => `- ${code(source)} could not fetch the head: ${code(reason)}`),
    ...(reached.length > 0 ? ['| Unit | Cluster | Changes |', '| --- | --- | --- |'] : []),
  ]
  const foot = [
    '',
    'Nothing was applied. Objects and values that are not in the repository, and values of Secrets, are not shown.',
    ...(left > 0 ? [`${count(left, 'unit')} of the sources could not be planned within the limits.`] : []),
  ]
  const reserved = lengthOf([...head, ...foot]) + 200
  const rows = fitting(reached.map(rowOf), (maxLength - reserved) / 2)
  const hidden = reached.length - rows.length
  const more = hidden > 0 ? [`| ${count(hidden, 'more unit')} | | |`] : []
  const sections = sectionsOf(reached).map(section => sectionText(section, folds))
  const shown = fitting(sections, maxLength - reserved - lengthOf([...rows, ...more]))
  const cut = sections.length - shown.length
  const omitted = cut > 0 ? ['', `${count(cut, 'more diff')} did not fit into this comment.`] : []
  return [...head, ...rows, ...more, ...shown, ...omitted, ...foot].join('\n')
}

/** As many texts as fit, in order. */
const fitting = (texts: readonly string[], maxLength: number): readonly string[] => {
  let length = 0
  const end = texts.findIndex(text => {
    length += text.length + 1
    return length > maxLength
  })
  return end < 0 ? texts : texts.slice(0, end)
}

const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0)

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

const nameOf = ({ kind, namespace, name }: PlannedUnit): string => `${kind}/${namespace}/${name}`

const clusterOf = ({ plan }: PlannedUnit): string => {
  if (plan.type !== 'planned') return ''
  return plan.cluster ? describeTarget(plan.cluster) : 'the hub'
}

const rowOf = (unit: PlannedUnit): string => {
  const { plan } = unit
  const result =
    plan.type === 'planned'
      ? [
          code(plannedCounts(openCountsOf(plan)) || 'no changes'),
          ...(plan.note === undefined ? [] : [plan.note]),
          ...(plan.refused.length > 0 ? [`the cluster refuses ${count(plan.refused.length, 'object')}`] : []),
          ...verdictOf(plan),
        ].join(', ')
      : `${plan.type === 'failed' ? 'failed' : 'not planned'}: ${code(firstLine(plan.open))}`
  return `| ${code(nameOf(unit))} | ${clusterOf(unit) && code(clusterOf(unit))} | ${result} |`
}

const verdictOf = (plan: PlannedHead): readonly string[] => {
  if (plan.policies.length === 0) return []
  return [isDenied(plan) ? 'a policy denies it' : 'a policy requires an approval']
}

const policyLine = ({ policy, action, message, isOpen }: HeadFinding): string => {
  const does = action === 'Deny' ? 'denies the change' : 'requires an approval'
  return `# ChangePolicy ${oneLine(policy)} ${does}: ${isOpen ? oneLine(message) : 'the PullRequest on the hub says why'}`
}

interface Section {
  readonly units: readonly PlannedUnit[]
  readonly diff: string
}

/** Units with the same diff share a section. */
const sectionsOf = (units: readonly PlannedUnit[]): readonly Section[] => {
  const byDiff = new Map<string, PlannedUnit[]>()
  for (const unit of units) {
    if (unit.plan.type !== 'planned') continue
    const { policies, changes } = unit.plan
    const diff = [...policies.slice(0, namedFindings).map(policyLine), ...changes.flatMap(linesOf)].join('\n')
    const same = byDiff.get(diff) ?? []
    byDiff.set(diff, same)
    same.push(unit)
  }
  return [...byDiff].filter(([diff]) => diff !== '').map(([diff, units]) => ({ units, diff }))
}

const namedUnits = 10
const namedFindings = 10

const sectionText = ({ units, diff }: Section, folds: boolean): string => {
  const names = units.slice(0, namedUnits).map(unit => {
    const cluster = clusterOf(unit)
    return cluster ? `${nameOf(unit)} on ${cluster}` : nameOf(unit)
  })
  const title = [...names, ...(units.length > namedUnits ? [`${units.length - namedUnits} more`] : [])].join(', ')
  const fence = '`'.repeat(Math.max(3, ...[...diff.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  const block = [`${fence}diff`, diff, fence]
  return folds
    ? ['', `<details><summary>${escaped(title)}</summary>`, '', ...block, '', '</details>'].join('\n')
    : ['', `**${code(title)}**`, '', ...block].join('\n')
}

const signs: Readonly<Record<OpenChange['action'], string>> = {
  created: '+',
  configured: '!',
  recreated: '!',
  deleted: '-',
  unknown: '!',
}

/** Lines of a diff: `+` and `-` are coloured. */
const linesOf = ({ action, kind, name, origin, fields, moreFields, hasOthers }: OpenChange): readonly string[] => {
  return [
    `${signs[action]} ${oneLine(`${kind} ${name}`)} ${action}${origin === undefined ? '' : ` (${oneLine(origin)})`}`,
    ...fields.flatMap(({ path, before, after }) => [
      ...(before === undefined ? [] : [`-   ${oneLine(path)}: ${oneLine(before)}`]),
      ...(after === undefined ? [] : [`+   ${oneLine(path)}: ${oneLine(after)}`]),
    ]),
    ...(moreFields > 0 ? [`    and ${count(moreFields, 'more field')}`] : []),
    ...(hasOthers ? ['    and fields that are not in the repository'] : []),
  ]
}

const oneLine = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ').slice(0, 500)
const firstLine = (text: string): string => oneLine(text.split('\n')[0] ?? '').slice(0, 300)

/** In a table or a line: nothing in it is markup, and it mentions nobody. */
const code = (text: string): string => `\`${oneLine(text).replaceAll('`', "'").replaceAll('|', '¦')}\``
const plainly = (text: string): string => oneLine(text).replaceAll(/[<>`|@*_[\]]/g, ' ')
const escaped = (text: string): string =>
  oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('@', '&#64;')
