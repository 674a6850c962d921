import { formatDuration } from '../foundations/kinds/duration.ts'
import { ageOf } from '../foundations/kinds/human-duration.ts'
import type { PlanChange } from '../foundations/kinds/plan.ts'
import {
  causedBy,
  changesOf,
  describeCause,
  type Run,
  type RunChange,
  resultOf,
  shortRevision,
} from '../foundations/kinds/run.ts'
import { describeTarget, type TargetReference } from '../foundations/kinds/target-reference.ts'
import { table } from './table.ts'

export interface RunTableForm {
  readonly withNamespace: boolean
  readonly isWide: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Runs, a line each. Empty if there are none. */
export const runTable = (runs: readonly Run[], { withNamespace, isWide, now }: RunTableForm): string =>
  table(
    [
      ...(withNamespace ? ['NAMESPACE'] : []),
      ...['NAME', 'AGE', 'UNIT', 'CAUSE', 'BY', 'REVISION', 'CHANGES', 'RESULT'],
      ...(isWide ? ['STARTED', 'CLUSTER', 'WHY', 'MESSAGE'] : []),
    ],
    runs.map(run => [
      ...(withNamespace ? [run.metadata.namespace ?? ''] : []),
      run.metadata.name,
      ageOf(run.startedAt, now),
      `${run.unit.kind}/${run.unit.name}`,
      run.cause.type,
      causedBy(run),
      shortRevision(run.revision),
      changesOf(run),
      resultOf(run),
      ...(isWide ? [run.startedAt, clusterOf(run), run.cause.reason ?? '', (run.message ?? '').split('\n')[0]!] : []),
    ]),
  )

const clusterOf = ({ cluster }: Run): string => (cluster ? describeTarget(cluster as TargetReference) : '')

/** All that is known of a run, for people. */
export const describeRun = (run: Run): string => {
  const { metadata, unit, cause, revision, previousRevision, reason, message } = run
  const at = cause.requestedAt ? ` (${cause.requestedAt})` : ''
  const repeated = run.lastRepeatedAt ? `, last at ${run.lastRepeatedAt}` : ''
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Name', metadata.name],
    ['Unit', `${unit.kind}/${metadata.namespace}/${unit.name}`],
    ['Cluster', clusterOf(run) || 'the hub'],
    ['Cause', `${describeCause(cause)}${at}`],
    ['Author', cause.author],
    ['Revision', revision],
    ['Before', previousRevision],
    ['Started', run.startedAt],
    ['Took', tookOf(run)],
    ['Result', `${resultOf(run)}${reason ? `, ${reason}` : ''}${repeated}`],
    ['Message', message?.trim().replaceAll('\n', `\n${' '.repeat(width)}`)],
  ]
  const head = facts.flatMap(([name, text]) => (text ? [`${`${name}:`.padEnd(width)}${text}\n`] : [])).join('')
  return [head, changesIn(run), errorsIn(run)].filter(part => part !== '').join('\n')
}

const width = 12

const tookOf = ({ startedAt, finishedAt, phases = [] }: Run): string => {
  const parts = phases.map(({ name, durationMs }) => `${name} ${formatDuration(durationMs)}`).join(', ')
  const whole = finishedAt ? formatDuration(Date.parse(finishedAt) - Date.parse(startedAt)) : 'not finished'
  return parts ? `${whole} (${parts})` : whole
}

/** What a run has done, or found, each object with its fields. */
export const changesIn = ({
  changes = [],
  moreChanges = 0,
  counts,
}: Pick<Run, 'moreChanges' | 'counts'> & {
  readonly changes?: readonly (RunChange | PlanChange)[] | undefined
}): string => {
  const all = Object.entries(counts).map(([action, count]) => `${count} ${action}`)
  if (all.length === 0) return ''
  const more = moreChanges > 0 ? `  and ${moreChanges} more\n` : ''
  return `Objects: ${all.join(', ')}\n${changes.map(changeText).join('')}${more}`
}

const changeText = (change: RunChange | PlanChange): string => {
  const { kind, namespace, name, action, origin, moreFields = 0 } = change
  const object = [kind, namespace, name].filter(Boolean).join('/')
  const fields: PlanChange['fields'] = change.fields ?? []
  const lines = fields.map(
    ({ path, before, after, from, ...by }) =>
      `    ${path}: ${oneLine(before)} -> ${oneLine(after)}${from && from !== origin ? ` (from ${from})` : ''}${authorOf(by)}\n`,
  )
  const more = moreFields > 0 ? `    and ${moreFields} more fields\n` : ''
  const awaited = 'waitsFor' in change ? `, after ${change.waitsFor}` : ''
  return `  ${object} ${action}${awaited}${origin ? ` (from ${origin})` : ''}\n${lines.join('')}${more}`
}

const authorOf = ({ manager, changedAt }: Pick<ChangedField, 'manager' | 'changedAt'>): string =>
  manager ? ` (${manager}${changedAt ? `, ${changedAt}` : ''})` : ''

type ChangedField = NonNullable<RunChange['fields']>[number]

const oneLine = (value: string | undefined): string => value?.replaceAll('\n', '\\n') ?? '(none)'

const errorsIn = ({ errors = [] }: Run): string => {
  if (errors.length === 0) return ''
  const lines = errors.map(({ object, file, field, message }) => {
    const place = [object, field, file].filter(Boolean).join(', ')
    return `  ${place ? `${place}: ` : ''}${message.trim().replaceAll('\n', '\n    ')}\n`
  })
  return `Errors:\n${lines.join('')}`
}
