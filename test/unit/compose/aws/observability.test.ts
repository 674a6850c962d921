import assert from 'node:assert/strict'
import { test } from 'node:test'
import { observability } from '../../../../lib/compose/aws/observability.ts'

/** What a piece of work prints. */
const printedBy = (work: () => void): string => {
  const { write } = process.stdout
  let text = ''
  process.stdout.write = ((chunk: string) => {
    text += chunk
    return true
  }) as typeof write
  try {
    work()
  } finally {
    process.stdout.write = write
  }
  return text
}

const pass = (kind: string, status: object) => {
  const ref = { group: '', kind, namespace: 'apps', name: 'podinfo' }
  const object = { apiVersion: 'v1', kind, metadata: { name: 'podinfo', namespace: 'apps', uid: 'u' }, status }
  const usage = { passes: 1, ms: 1500, requests: 7, bytes: 900, readUnits: 2.25, writeUnits: 12, gbMs: 30 }
  const used = { namespace: 'apps', cluster: 'Secret/apps/prod', usage }
  return { ref, object, outcome: 'done' as const, reason: 'Succeeded', durationMs: 1500, used }
}

test("CloudWatch gets the metrics of Flux' dashboards in one line per pass", () => {
  const { observe } = observability('hub')
  const ready = [{ type: 'Ready', status: 'True', reason: 'Succeeded' }]
  const source = JSON.parse(
    printedBy(() =>
      observe(pass('GitRepository', { conditions: ready, artifact: { revision: 'main@sha1:1', size: 42 } })),
    ),
  )
  const { gotk_reconcile_duration_seconds, gotk_artifact_size_bytes, gotk_resource_info } = source
  assert.deepEqual([gotk_reconcile_duration_seconds, gotk_artifact_size_bytes, gotk_resource_info], [1.5, 42, 1])
  const { kind, result, name, exported_namespace, revision } = source
  assert.deepEqual(
    [kind, result, name, exported_namespace, source.ready],
    ['GitRepository', 'done', 'podinfo', 'apps', 'True'],
  )
  assert.equal(revision, 'main@sha1:1')
  assert.deepEqual(
    [source.cluster, source.requests, source.bytes, source.readUnits, source.writeUnits],
    ['Secret/apps/prod', '7', '900', '2.3', '12'],
  )
  const { Metrics: published, Dimensions: dimensions } = source._aws.CloudWatchMetrics[0]
  assert.equal(dimensions.flat().includes('cluster'), false, 'CloudWatch bills each combination of dimensions')
  assert.equal(JSON.stringify(published).includes('requests'), false)

  const set = JSON.parse(printedBy(() => observe(pass('ResourceSet', { conditions: ready }))))
  assert.deepEqual([set.flux_resourceset_info, set.gotk_artifact_size_bytes], [1, undefined])
})

test('credentials that must be replaced are counted for the alarm, by passes and by visits, of the hub as a whole', () => {
  const { observe, observeVisit } = observability('hub')
  const counted = (work: () => void) =>
    printedBy(work)
      .split('\n')
      .filter(line => line.includes('"keelson_cluster_credentials_expiring"'))
      .map(line => JSON.parse(line))
  const clusterWith = (reason: string) =>
    pass('Cluster', { conditions: [{ type: 'CredentialsValid', status: 'True', reason }] })
  assert.deepEqual(
    counted(() => observe(clusterWith('Accepted'))),
    [],
  )
  for (const reason of ['ExpiresSoon', 'Expired', 'Unauthorized']) {
    const [line] = counted(() => observe(clusterWith(reason)))
    assert.equal(line.keelson_cluster_credentials_expiring, 1, reason)
    assert.deepEqual(line._aws.CloudWatchMetrics[0].Dimensions, [['service']])
    assert.equal(line.service, 'hub')
  }
  const unchanged = ['Accepted', 'ExpiresSoon', 'ExpiresSoon', 'Accepted'].map(clusterWith)
  const [line, ...others] = counted(() => observeVisit({ group: 'apps/prod', unchanged, used: [] }))
  assert.deepEqual([line.keelson_cluster_credentials_expiring, others], [2, []])
})
