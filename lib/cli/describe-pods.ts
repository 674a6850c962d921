import { stripVTControlCharacters } from 'node:util'
import type { ContainerLog, FailingPod, FailingPods } from '../hub-client/read-failing-pods.ts'

/** For `keelson why --logs`: which pods are not ready, why, and the last lines of their containers. No control character of a log reaches the terminal. */
export const describePods = (found: FailingPods): string => {
  const { pods, unready, refused, unreadObjects } = found
  const lines = [
    summary(found),
    ...pods.flatMap(pod => ['', ...podLines(pod)]),
    ...(unready > pods.length ? ['', `... and ${unready - pods.length} more that are not ready`] : []),
    ...(refused.length + unreadObjects > 0 ? [''] : []),
    ...refused.map(message => `Not shown: ${message}`),
    ...(unreadObjects > 0 ? [`Not shown: the pods of ${unreadObjects} more objects`] : []),
  ]
  return lines.map(line => `${printable(line)}\n`).join('')
}

const summary = ({ total, unready, as }: FailingPods): string => {
  const by = as ? `, as ${as} sees its cluster` : ''
  if (total === 0)
    return `No pods${by}: they are those of its Deployments, StatefulSets, DaemonSets, ReplicaSets and Jobs.`
  return unready === 0 ? `No pod is not ready, of ${total}${by}.` : `${unready} of ${total} pods not ready${by}:`
}

const podLines = (found: FailingPod): readonly string[] => {
  const { pod, owner } = found
  const title = owner === pod ? pod : `${pod} of ${owner}`
  if ('refused' in found) return [`${title} can't be read: ${found.refused}`]
  const { message, restarts, containers, warnings } = found
  const times = restarts === 0 ? '' : `, ${restarts === 1 ? '1 restart' : `${restarts} restarts`}`
  return [
    `${title}${containers.length === 0 ? `: ${message}` : ''}${times}`,
    ...warnings.map(warning => `  ${warning}`),
    ...containers.flatMap(({ name, isInit, message: state, logs }) => [
      `  ${isInit ? 'init container' : 'container'} ${name} ${state}`,
      ...logs.flatMap(log => logLines(log, logs.length > 1)),
    ]),
  ]
}

const logLines = (log: ContainerLog, isOneOfTwo: boolean): readonly string[] => {
  const title = isOneOfTwo ? [`    ${log.run === 'previous' ? 'before' : 'now'}:`] : []
  if ('refused' in log) return [...title, `    no log: ${log.refused}`]
  if (log.lines.length === 0) return [...title, '    it has written nothing']
  return [...title, ...log.lines.map(line => `    | ${line}`)]
}

/** Without colours, and with spaces for what else would move the cursor. */
const printable = (line: string): string =>
  stripVTControlCharacters(line)
    .replaceAll(/[^\P{Cc}\t]/gu, ' ')
    .trimEnd()
