import { openPgp } from '../../lib/compose/open-pgp.ts'
import type { GitRepository } from '../../lib/foundations/kinds/git-repository.ts'
import { gitRepositoryReconciler } from '../../lib/reconcile/git-repository/git-repository.ts'
import { cloudAccessOf } from '../../lib/reconcile/source-artifact/cloud-access-of.ts'
import { refetchThrough } from '../../lib/reconcile/source-artifact/read-artifact.ts'
import { gitClient } from '../../lib/sources/git/git-client.ts'
import { sshTransport } from '../../lib/sources/git/ssh/ssh-transport.ts'
import { endWithTest } from '../bed/teardown.ts'
import { wires } from '../bed/wires.ts'
import { openWorld } from '../unit/reconcile/world.ts'
import { storedArtifacts } from './stored-artifacts.ts'

/** The address that artifacts get in these worlds. */
export const artifactAddress = 'http://artifacts.test'

const fetchSecret = async () => Buffer.from('a secret of the hub')

/** A hub whose GitRepositories are reconciled; it goes when the running test ends. */
export const openGitWorld = async () => {
  const connections = wires()
  const git = gitClient(connections, { ssh: sshTransport })
  const own = { login: () => Promise.reject(new Error('clouds are not asked here')) }
  const retention = { records: 2, ttlMs: 60_000 }
  const world = await openWorld(ports => {
    const cloudAccess = cloudAccessOf({ ...ports, own, objectLevelWorkloadIdentity: false })
    return [
      gitRepositoryReconciler(
        { ...ports, refetch: refetchThrough(ports), fetchSecret, git, openPgp, connections, cloudAccess },
        { artifactAddress, retention, requeueDependencyMs: 5_000 },
      ),
    ]
  })
  endWithTest({ [Symbol.asyncDispose]: world.close })
  const author = { fieldManager: 'author' }
  const ref = (name: string) => ({
    group: 'source.toolkit.fluxcd.io',
    kind: 'GitRepository',
    namespace: 'default',
    name,
  })
  return {
    ...world,
    ...storedArtifacts(world.platform.artifacts),
    ref,
    /** Creates or changes a GitRepository and lets the reconciler come to rest. */
    async applies(name: string, spec: Partial<GitRepository['spec']> & { readonly url: string }) {
      const object = {
        apiVersion: 'source.toolkit.fluxcd.io/v1',
        kind: 'GitRepository',
        metadata: { name, namespace: 'default' },
        spec: { interval: '10m', ref: { branch: 'main' }, ...spec },
      }
      await world.hub.patch(ref(name), { type: 'apply', object }, { ...author, force: true })
      await world.settle()
    },
    async statusOf(name: string) {
      return (await world.hub.get<GitRepository>(ref(name)))?.status
    },
  }
}

export type GitWorld = Awaited<ReturnType<typeof openGitWorld>>
