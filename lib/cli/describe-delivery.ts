import { type Delivery, readinessOf } from '../foundations/kinds/delivery.ts'
import { formatDuration } from '../foundations/kinds/duration.ts'
import { ageOf } from '../foundations/kinds/human-duration.ts'
import { type Run, shortRevision } from '../foundations/kinds/run.ts'
import type { RunTableForm } from './describe-run.ts'
import { table } from './table.ts'

/** Deliveries, a line each. Empty if there are none. */
export const deliveryTable = (deliveries: readonly Delivery[], { withNamespace, isWide, now }: RunTableForm): string =>
  table(
    [
      ...(withNamespace ? ['NAMESPACE'] : []),
      ...['NAME', 'AGE', 'RECEIVER', 'EVENT', 'SENDER', 'RESULT', 'READY'],
      ...(isWide ? ['ARRIVED', 'FROM', 'MESSAGE'] : []),
    ],
    deliveries.map(found => [
      ...(withNamespace ? [found.metadata.namespace ?? ''] : []),
      found.metadata.name,
      ageOf(found.startedAt, now),
      found.receiver.name,
      found.event ?? '',
      found.sender ?? '',
      resultOf(found),
      readinessOf(found),
      ...(isWide ? [found.startedAt, found.remoteAddress ?? '', found.message] : []),
    ]),
  )

const resultOf = ({ result, redelivers }: Delivery): string => (redelivers ? `${result} (redelivery)` : result)

const width = 12

/** All that is known of a delivery, and the runs that followed, for people. */
export const describeDelivery = (delivery: Delivery, runs: readonly Run[]): string => {
  const { metadata, receiver, verification, status, message, push, redelivers, redeliveredBy } = delivery
  const { verified, method } = verification
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Name', metadata.name],
    ['Receiver', `${metadata.namespace}/${receiver.name} (${receiver.type})`],
    ['Event', delivery.event],
    ['ID', delivery.id],
    ['Sender', delivery.sender],
    ['Redelivery', redelivers && `of ${redelivers} by ${redeliveredBy}`],
    ['From', delivery.remoteAddress],
    [
      'Arrived',
      `${delivery.startedAt}, ${delivery.bodyBytes} bytes, handled in ${formatDuration(delivery.durationMs)}`,
    ],
    ['Verified', `${verified ? 'yes' : 'no'}, by ${method}${verification.message ? `: ${verification.message}` : ''}`],
    ['Result', `${delivery.result}, ${status}: ${message}`],
    ['Push', push && `${push.repositories.join(', ')} ${push.versions.map(versionText).join(', ')}`],
  ]
  const head = facts.flatMap(([name, text]) => (text ? [`${`${name}:`.padEnd(width)}${text}\n`] : [])).join('')
  return [head, objectsIn(delivery), runsIn(runs), headersIn(delivery)].filter(part => part !== '').join('\n')
}

type Version = NonNullable<Delivery['push']>['versions'][number]

const versionText = ({ name, content }: Version): string => (content ? `${name} to ${content.slice(0, 19)}` : name)

const objectsIn = ({ objects = [], moreObjects = 0 }: Delivery): string => {
  if (objects.length === 0) return ''
  const more = moreObjects > 0 ? `  and ${moreObjects} more\n` : ''
  const lines = objects.map(object => `  ${object.kind}/${object.namespace}/${object.name}${outcomeOf(object)}\n`)
  return `Objects requested to reconcile:\n${lines.join('')}${more}`
}

const outcomeOf = ({ ready, reason, revision, readyAfterMs = 0 }: NonNullable<Delivery['objects']>[number]): string => {
  if (ready === undefined) return ''
  const at = revision ? ` at ${shortRevision(revision)}` : ''
  return `: ${ready ? 'ready' : 'not ready'}${at} after ${formatDuration(readyAfterMs)}${reason ? `, ${reason}` : ''}`
}

const runsIn = (runs: readonly Run[]): string =>
  runs.length === 0
    ? ''
    : `Runs of these revisions since:\n${runs
        .map(
          ({ metadata, unit, result, finishedAt = '' }) =>
            `  ${unit.kind}/${metadata.namespace}/${unit.name}: ${result}${finishedAt && ` at ${finishedAt}`}\n`,
        )
        .join('')}`

const headersIn = ({ headers }: Delivery): string =>
  headers.length === 0 ? '' : `Headers:\n${headers.map(({ name, value }) => `  ${name}: ${value}\n`).join('')}`
