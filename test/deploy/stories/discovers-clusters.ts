import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { awsRequests } from '../../bed/aws/aws-request.ts'
import type { AwsEmulator } from '../../bed/aws/emulator.ts'
import { eventually } from '../../bed/eventually.ts'
import { type DeployedHub, discoveryRole, patient } from '../deployed-hub.ts'

const eksOf = (emulator: AwsEmulator) => {
  const aws = awsRequests(emulator)
  const call = async (method: string, path: string, body?: object) => {
    const { status, text } = await aws({ service: 'eks', method, path, ...(body && { body: JSON.stringify(body) }) })
    assert.equal(status, 200, text)
    return JSON.parse(text)
  }
  return {
    /** Resolves once it is active. */
    create: async (name: string, roleArn: string, tags: Readonly<Record<string, string>>) => {
      await call('POST', '/clusters', { name, roleArn, tags })
      await eventually(async () => {
        const { cluster } = await call('GET', `/clusters/${name}`)
        assert.ok(cluster.status === 'ACTIVE' && cluster.certificateAuthority.data)
      })
    },
    delete: (name: string) => call('DELETE', `/clusters/${name}`),
  }
}

/**
 * EKS' own list of clusters. The emulator's has neither pages nor throttling, and nothing runs behind its clusters: test/bed/eks-server.ts has these.
 */
export function discoversClusters({ hubName, admin, account, emulator, invoke }: DeployedHub) {
  const eks = eksOf(emulator)

  describe('discovers clusters', () => {
    test("CL-008 EKS' clusters become Clusters by the role of tick; one that is gone is marked, and a refusal marks nothing", async () => {
      const { region } = emulator
      const roleArn = await account.role(discoveryRole, ['eks:ListClusters', 'eks:DescribeCluster'])
      await eks.create('shop', roleArn, { env: 'prod' })
      await eks.create('other', roleArn, { env: 'test' })
      const ask = (arn: string) => {
        const accounts = JSON.stringify([{ regions: [region], roleArn: arn, tags: { env: 'prod' } }])
        const metadata = { name: 'eks', annotations: { 'keelson.dev/discover-eks': accounts } }
        return admin.apply(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata }))
      }
      /** A process of tick that has just started looks at once, and then each hour. */
      const discover = async () => {
        await account.restart(`${hubName}-tick`)
        await invoke('tick', {})
      }
      const clusters = async () =>
        (await admin.get<{ items: readonly KubernetesObject[] }>('clusters', '-n', 'eks')).items.map(
          ({ metadata: { name, labels = {} } }) => [name, labels.env, labels['keelson.dev/vanished']],
        )
      await ask(roleArn)
      await discover()
      const name = `shop-${region}-${emulator.account}`
      await eventually(async () => assert.deepEqual(await clusters(), [[name, 'prod', undefined]]), patient)
      await ask(`${roleArn}-of-nobody`)
      await eks.delete('shop')
      await discover()
      assert.deepEqual(await clusters(), [[name, 'prod', undefined]])
      await ask(roleArn)
      await discover()
      await eventually(async () => assert.deepEqual(await clusters(), [[name, 'prod', 'true']]), patient)
    })
  })
}
