import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { conditionsOf, fieldAt, integerAt, textAt } from './fields.ts'
import { current, failed, inProgress, type KStatus } from './result.ts'

/** kstatus reports a Job as Current as soon as it runs. */
export const jobStatus = (job: KubernetesObject): KStatus =>
  finishedStatus(job) ?? (isStarted(job) ? current(progressOf(job)) : inProgress('JobNotStarted', 'Job not started'))

/** Flux's health checks report a Job as Current when it has completed or is suspended. */
export const jobCompletion = (job: KubernetesObject): KStatus => {
  if (fieldAt(job, 'spec.suspend') === true) return current('Job is suspended')
  return (
    finishedStatus(job) ??
    (isStarted(job)
      ? inProgress('JobInProgress', progressOf(job))
      : inProgress('JobNotStarted', `Job not started. active: 0/${integerAt(job, 'spec.parallelism', 1)}`))
  )
}

const finishedStatus = (job: KubernetesObject): KStatus | undefined => {
  const wanted = integerAt(job, 'spec.completions', integerAt(job, 'spec.parallelism', 1))
  for (const { type, status } of conditionsOf(job)) {
    if (status !== 'True') continue
    if (type === 'Complete')
      return current(`Job Completed. succeeded: ${integerAt(job, 'status.succeeded', 0)}/${wanted}`)
    if (type === 'Failed')
      return failed('JobFailed', `Job Failed. failed: ${integerAt(job, 'status.failed', 0)}/${wanted}`)
  }
  return undefined
}

const isStarted = (job: KubernetesObject): boolean => textAt(job, 'status.startTime') !== ''

const progressOf = (job: KubernetesObject): string => {
  const count = (field: string) => integerAt(job, `status.${field}`, 0)
  return `Job in progress. success:${count('succeeded')}, active: ${count('active')}, failed: ${count('failed')}`
}
