import type { ObjectRef } from '../../foundations/kinds/object.ts'

/** The lease of a Cluster: who holds it is its runner. Not the lease of the object, which the loop takes for each pass. */
export const runnerLeaseRef = ({ namespace, name }: Pick<ObjectRef, 'namespace' | 'name'>): ObjectRef => ({
  group: 'runners.fleet.keelson.dev',
  kind: 'Cluster',
  namespace,
  name,
})
