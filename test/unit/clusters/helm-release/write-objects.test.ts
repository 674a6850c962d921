import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError, type ClusterErrorCode } from '../../../../lib/clusters/client/client.ts'
import type { ActionDeps } from '../../../../lib/clusters/helm-release/action.ts'
import { updateObjects } from '../../../../lib/clusters/helm-release/write-objects.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const configMap = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
})

/** A cluster that has some objects, refuses to apply some, and lets nobody read some. */
const depsWith = ({ present = '', refused = '', unreadable = '', code = 'invalid' as ClusterErrorCode }) => {
  const requests: string[] = []
  const refuse = (verb: string, name: string) => new ClusterError(code, `${name} can't be ${verb}`)
  const cluster = {
    get: async (_, { name }) => {
      requests.push(`get ${name}`)
      if (unreadable.includes(name)) throw refuse('read', name)
      return present.includes(name) ? configMap(name) : undefined
    },
    apply: async object => {
      const { name } = object.metadata
      requests.push(`apply ${name}`)
      if (refused.includes(name)) throw refuse('applied', name)
      return { ...object, metadata: { ...object.metadata, uid: `uid of ${name}` } }
    },
  } as Partial<ClusterClient> as ClusterClient
  return { requests, deps: { cluster } as ActionDeps }
}

const serverSide = {
  ...{
    fieldManager: 'helm-controller',
    serverSideApply: true,
    forceConflicts: true,
    upgradeManagers: false,
    force: false,
  },
}
const update = (deps: ActionDeps, names: string) => {
  const objects = [...names].map(configMap)
  return updateObjects(deps, objects, objects, undefined, serverSide)
}

test('server-side apply reads nothing before, and hands on what the cluster has since', async () => {
  const { deps, requests } = depsWith({ present: 'a' })
  const written = await update(deps, 'ab')
  assert.deepEqual(requests, ['apply a', 'apply b'])
  assert.deepEqual(
    [...written.values()].map(({ metadata }) => metadata.uid),
    ['uid of a', 'uid of b'],
  )
})

test('failed changes are reported together at the end', async () => {
  const { deps, requests } = depsWith({ present: 'ac', refused: 'ac' })
  const of = (name: string) =>
    `server-side apply failed for object default/${name} /v1, Kind=ConfigMap: ${name} can't be applied`
  await assert.rejects(update(deps, 'abc'), { message: `${of('a')} && ${of('c')}` })
  assert.deepEqual(requests, ['apply a', 'get a', 'apply b', 'apply c', 'get c'])
})

test('what can’t be created ends it there', async () => {
  const { deps, requests } = depsWith({ refused: 'a' })
  await assert.rejects(update(deps, 'ab'), {
    message: /^failed to create resource: server-side apply failed for object default\/a/,
  })
  assert.deepEqual(requests, ['apply a', 'get a'])
})

test('an account without read access gets the error of the read, as Helm reads first', async () => {
  const { deps } = depsWith({ present: 'a', refused: 'a', unreadable: 'a', code: 'forbidden' })
  await assert.rejects(update(deps, 'a'), { message: "could not get information about the resource: a can't be read" })
})
