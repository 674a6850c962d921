import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { Condition, KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { command } from '../../bed/command.ts'
import { eventually } from '../../bed/eventually.ts'
import { gitRepo } from '../../bed/git-repo.ts'
import { pushImage } from '../../bed/push-image.ts'
import { registryServer } from '../../bed/registry-server.ts'
import { sshGitServer } from '../../bed/ssh-git-server.ts'
import { tarGzip } from '../../bed/tar-gzip.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { disposableDir } from '../../bed/temp-dir.ts'
import { type DeployedHub, patient } from '../deployed-hub.ts'

interface Source extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[]; readonly artifact?: { readonly revision: string } }
}

const indented = (text: string): string => text.replaceAll('\n', '\n    ')

/** Clients that the bundle of `source` holds, or a part of which: from real servers, each in the way that needs most of its client. */
export function fetchesSources({ admin, emulator, clients }: DeployedHub): void {
  const fetched = (kind: string, name: string, revision: RegExp) =>
    eventually(async () => {
      const { status } = await admin.get<Source>(kind, name)
      assert.match(status?.artifact?.revision ?? JSON.stringify(status?.conditions), revision)
    }, patient)

  describe('fetches sources', { concurrency: 2 }, () => {
    test('git over SSH, with a key that has a passphrase', async () => {
      const key = join(endWithTest(disposableDir()).path, 'key')
      await command('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'of-a-key', '-f', key])
      const repo = await gitRepo({ 'a.yaml': '1' })
      const authorizedKeys = [readFileSync(`${key}.pub`, 'utf8')]
      const server = await sshGitServer({ authorizedKeys, root: dirname(repo.dir) })
      await admin.apply(`
apiVersion: v1
kind: Secret
metadata: {name: over-ssh, namespace: default}
stringData:
  password: of-a-key
  known_hosts: '${server.knownHosts.trim()}'
  identity: |
    ${indented(readFileSync(key, 'utf8'))}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: over-ssh, namespace: default}
spec: {interval: 1h, url: '${server.url}/repo.git', ref: {branch: main}, secretRef: {name: over-ssh}}
`)
      await fetched('gitrepository', 'over-ssh', /^main@sha1:/)
    })

    test('an OCI image that cosign has signed', async () => {
      const registry = endWithTest(await registryServer())
      const target = (...tags: string[]) => ({ origin: registry.directOrigin, repository: 'app', tags })
      const layer = { mediaType: 'application/vnd.cncf.flux.content.v1.tar+gzip', content: tarGzip({ 'a.yaml': '1' }) }
      const digest = await pushImage({ layers: [layer] }, target('latest'))
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const content = JSON.stringify({
        critical: {
          identity: { 'docker-reference': `${registry.host}/app` },
          image: { 'docker-manifest-digest': digest },
          type: 'cosign container image signature',
        },
        optional: null,
      })
      const annotations = {
        'dev.cosignproject.cosign/signature': sign('sha256', Buffer.from(content), privateKey).toString('base64'),
      }
      const payload = { mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json', content, annotations }
      await pushImage({ layers: [payload] }, target(`${digest.replace(':', '-')}.sig`))
      await admin.apply(`
apiVersion: v1
kind: Secret
metadata: {name: signers, namespace: default}
stringData:
  team.pub: |
    ${indented(publicKey.export({ type: 'spki', format: 'pem' }) as string)}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: signed, namespace: default}
spec:
  interval: 1h
  insecure: true
  url: 'oci://${registry.host}/app'
  ref: {tag: latest}
  verify: {provider: cosign, secretRef: {name: signers}}
`)
      await fetched('ocirepository', 'signed', /^latest@sha256:/)
      const { status } = await admin.get<Source>('ocirepository', 'signed')
      assert.equal(status?.conditions?.find(({ type }) => type === 'SourceVerified')?.status, 'True')
    })

    test('a chart of a Helm repository, with a password', async () => {
      const chart = 'apiVersion: v2\nname: served\nversion: 1.2.3\n'
      const files: Readonly<Record<string, string | Buffer>> = {
        '/index.yaml': `apiVersion: v1\nentries: {served: [{apiVersion: v2, name: served, version: 1.2.3, urls: [served-1.2.3.tgz]}]}\n`,
        '/served-1.2.3.tgz': tarGzip({ 'served/Chart.yaml': chart, 'served/values.yaml': 'a: 1\n' }),
      }
      const server = createServer(({ url, headers }, response) => {
        const isLet = headers.authorization === `Basic ${btoa('reader:of-charts')}`
        response.writeHead(isLet ? (files[url!] ? 200 : 404) : 401).end(isLet ? files[url!] : undefined)
      }).listen(0, '127.0.0.1')
      endWithTest({ [Symbol.asyncDispose]: async () => void server.close() })
      await once(server, 'listening')
      await admin.apply(`
apiVersion: v1
kind: Secret
metadata: {name: charts-login, namespace: default}
stringData: {username: reader, password: of-charts}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: served, namespace: default}
spec:
  interval: 1h
  url: 'http://127.0.0.1:${(server.address() as AddressInfo).port}'
  secretRef: {name: charts-login}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmChart
metadata: {name: served, namespace: default}
spec: {interval: 1h, chart: served, version: 1.x, sourceRef: {kind: HelmRepository, name: served}}
`)
      await fetched('helmchart', 'served', /^1\.2\.3$/)
    })

    test('a bucket, with keys', async () => {
      const bucket = { Bucket: 'manifests-of-a-team' }
      const s3 = await clients.s3()
      await s3.send(new CreateBucketCommand(bucket))
      await s3.send(new PutObjectCommand({ ...bucket, Key: 'app/a.yaml', Body: 'a: 1\n' }))
      const { accessKeyId, secretAccessKey } = emulator.credentials
      await admin.apply(`
apiVersion: v1
kind: Secret
metadata: {name: bucket-keys, namespace: default}
stringData: {accesskey: '${accessKeyId}', secretkey: '${secretAccessKey}'}
---
apiVersion: v1
kind: Secret
metadata: {name: bucket-authority, namespace: default}
stringData:
  ca.crt: |
    ${indented(readFileSync(emulator.certificateFile!, 'utf8'))}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: Bucket
metadata: {name: with-keys, namespace: default}
spec:
  interval: 1h
  provider: generic
  bucketName: manifests-of-a-team
  endpoint: '${new URL(emulator.endpoint).host}'
  region: ${emulator.region}
  secretRef: {name: bucket-keys}
  certSecretRef: {name: bucket-authority}
`)
      await fetched('bucket', 'with-keys', /^sha256:/)
    })
  })
}
