/** What a runner and its requests are to the API's fairness and audit log. */
import { cluster as clusterKind } from '../../foundations/kinds/cluster.ts'
import type { User } from '../apiserver/authentication/caller.ts'
import type { Verb } from '../apiserver/request-info.ts'
import type { Place } from './unit-verbs.ts'

/** As what the audit log has it: polls are reads, so that policies can leave them out. What is held counts as a watch, and takes no seat of other requests. */
const apiVerbs: Readonly<Record<string, Verb>> = {
  sync: 'get',
  wait: 'watch',
  artifact: 'get',
  enrol: 'create',
  event: 'create',
  run: 'create',
}

/** The verb of the Kubernetes API that a runner's request counts as: an update if it is none of these. */
export const apiVerbOf = (verb: string): Verb => apiVerbs[verb] ?? 'update'

export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

/** The user that the runner of a Cluster is, as ServiceAccounts are: `system:runner:NAMESPACE:NAME`. */
export const userOf = ({ namespace, name }: Place): User => ({
  name: `system:runner:${namespace}:${name}`,
  groups: ['system:runners', 'system:authenticated'],
})

/** What the audit log calls it. */
export const resourceOf = (place: Place) => ({
  ...{ group: clusterKind.group, version: 'v1alpha1', resource: clusterKind.plural, subresource: 'runner' },
  ...place,
})
