import type { ClusterClient } from '../../clusters/client/client.ts'
import { WouldWrite } from './dry-run.ts'

/** The same cluster for dry runs: it refuses all writes that are none. */
export const withoutWrites = (given: ClusterClient): ClusterClient => ({
  ...given,
  apply: (object, options) => (options.dryRun ? given.apply(object, options) : refuse('apply')),
  create: (object, options) => (options.dryRun ? given.create(object, options) : refuse('create')),
  patch: (apiVersion, ref, patch, options) =>
    options.dryRun ? given.patch(apiVersion, ref, patch, options) : refuse('patch'),
  delete: () => refuse('delete'),
})

const refuse = async (verb: string): Promise<never> => {
  throw new WouldWrite(verb)
}
