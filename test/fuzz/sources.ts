import assert from 'node:assert/strict'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { InvalidDer } from '../../lib/foundations/der/read-der.ts'
import { extract, InvalidArchive } from '../../lib/sources/artifact/extract.ts'
import { GitError } from '../../lib/sources/git/git-error.ts'
import { parseIndex } from '../../lib/sources/helm/index-file.ts'
import { InvalidChart } from '../../lib/sources/helm/invalid-chart.ts'
import { parseChallenge } from '../../lib/sources/oci/challenge.ts'
import { InvalidDockerConfig, readKeyring } from '../../lib/sources/oci/docker-config.ts'
import { InvalidName, parseRepository } from '../../lib/sources/oci/image-name.ts'
import { parseManifest } from '../../lib/sources/oci/manifest.ts'
import { OciError } from '../../lib/sources/oci/oci-error.ts'
import { requireKeyless } from '../../lib/sources/verify/cosign-keyless.ts'
import { NotVerified } from '../../lib/sources/verify/not-verified.ts'
import { readCose } from '../../lib/sources/verify/notation/cose.ts'
import { parseName } from '../../lib/sources/verify/notation/distinguished-name.ts'
import type { Envelope } from '../../lib/sources/verify/notation/envelope.ts'
import { readJws } from '../../lib/sources/verify/notation/jws.ts'
import { requireTimestamp } from '../../lib/sources/verify/notation/timestamp.ts'
import { findTrustPolicy } from '../../lib/sources/verify/notation/trust-policy.ts'
import { requireList, statusInLists } from '../../lib/sources/verify/revocation/crl.ts'
import { readOcspResponse } from '../../lib/sources/verify/revocation/ocsp.ts'
import { readList } from '../../lib/sources/verify/revocation/revocation-list.ts'
import { RevocationUnavailable } from '../../lib/sources/verify/revocation/revocation-unavailable.ts'
import { publicGoodRoot } from '../../lib/sources/verify/sigstore/public-good.ts'
import { type Certificate, isIssuedBy, readCertificate } from '../../lib/sources/verify/x509/certificate.ts'
import { tarGzip } from '../bed/tar-gzip.ts'
import { mutationsOf } from '../unit/sources/mutations.ts'
import opensslEvidence from '../unit/sources/verify/openssl-evidence.json' with { type: 'json' }
import type { FuzzSettings } from './run.ts'
import {
  bundle,
  descriptor,
  digest,
  hostKey,
  notationEnvelopes,
  pack,
  publicBundle,
  readAnyCertificate,
  readChart,
  readsKnownHosts,
  readsPack,
  refusesBundle,
  text,
  withChecksum,
} from './source-samples.ts'

export const description =
  'what git servers, registries and chart repositories might send, damaged: read or refused, never a crash or a false signature'

type ErrorClass = abstract new (...args: never[]) => Error

interface Target {
  readonly name: string
  /** Right ones, to be damaged. */
  readonly samples: readonly Uint8Array[]
  /** Takes it all in; fails when it took what it should not have. */
  readonly read: (content: Buffer) => unknown
  readonly refusals: readonly ErrorClass[]
  /** How a damaged sample is wrapped up. */
  readonly wrap?: (content: Buffer) => Buffer
}

export const run = async ({ seed, until }: FuzzSettings): Promise<void> => {
  let inputs = 0
  for (let round = 0; performance.now() < until; round++) inputs += await fuzzSources(seed + round, 200)
  console.log(`${inputs} inputs: all were read or refused`)
}

/** Tries so many inputs on each reader; fails with the one that was mishandled. */
export const fuzzSources = async (seed: number, runs: number): Promise<number> => {
  const all = targets()
  for (const { name, samples, read, refusals, wrap = (content: Buffer) => content } of all) {
    const inputs = fc.oneof(...samples.map(mutationsOf))
    const property = fc.asyncProperty(inputs, async content => {
      try {
        await read(wrap(content))
      } catch (error) {
        assert.ok(
          refusals.some(refusal => error instanceof refusal),
          `${name}: ${(error as Error)?.stack ?? error}`,
        )
      }
    })
    await fc.assert(property, { seed, numRuns: runs, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true })
  }
  return all.length * runs
}

const targets = (): readonly Target[] => {
  const chart = tarGzip({
    'app/Chart.yaml':
      'apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n- {name: sub, version: 1.x, repository: "https://h"}\n',
    'app/Chart.lock': 'dependencies: []\ngenerated: "2024-01-01T00:00:00Z"\n',
    'app/values.yaml': 'a: {b: [1, &x 2, *x]}\n',
    'app/charts/sub/Chart.yaml': 'name: sub\nversion: 1.2.0\n',
  })
  const tar = gunzipSync(chart)
  const index = `apiVersion: v1\nentries:\n  app:\n  - {name: app, version: 1.0.0, urls: [app-1.0.0.tgz], digest: ${'ab'.repeat(32)}, created: "2024-01-01T00:00:00Z"}\n`
  const { jws, cose, payload } = notationEnvelopes()
  const policy = {
    version: '1.0',
    trustPolicies: [
      {
        name: 'a',
        registryScopes: ['h.example/app'],
        signatureVerification: { level: 'strict', override: { expiry: 'log' } },
        trustStores: ['ca:a'],
        trustedIdentities: ['x509.subject: C=US, ST=WA, O=a'],
      },
    ],
  }
  const onlyRight = (open: (content: Buffer) => { readonly payload: Uint8Array }) => (content: Buffer) =>
    assert.deepEqual(Buffer.from(open(content).payload), payload)
  return [
    { name: 'gzip', samples: [chart], read: content => extract(content), refusals: [InvalidArchive] },
    { name: 'tar', samples: [tar], wrap: gzipSync, read: content => extract(content), refusals: [InvalidArchive] },
    { name: 'chart', samples: [tar], wrap: gzipSync, read: readChart, refusals: [InvalidChart, InvalidArchive] },
    { name: 'pack', samples: [pack()], wrap: withChecksum, read: readsPack, refusals: [GitError] },
    {
      name: 'known_hosts',
      samples: [
        text(
          `git.example.com,[git.example.org]:2222 ssh-ed25519 ${hostKey.toString('base64')}\n@revoked * ssh-rsa AAAA\n`,
        ),
        text(`|1|AAAA|BBBB ssh-ed25519 AAAAB3\n!a*?b,*[c]\\d*:22 ssh-ed25519 ${hostKey.toString('base64')}\n`),
      ],
      read: readsKnownHosts,
      refusals: [],
    },
    { name: 'index.yaml', samples: [text(index)], read: parseIndex, refusals: [InvalidChart] },
    {
      name: 'manifest',
      samples: [
        text({ schemaVersion: 2, config: descriptor, layers: [descriptor], annotations: { a: 'b' } }),
        text({ schemaVersion: 2, manifests: [{ ...descriptor, platform: { os: 'linux', architecture: 'amd64' } }] }),
      ],
      read: parseManifest,
      refusals: [OciError],
    },
    {
      name: 'challenge',
      samples: [
        text('Bearer realm="https://h/token",service="a,b",scope="x"'),
        text('Basic realm=x, Bearer realm="y"'),
      ],
      read: content => parseChallenge(content.toString('latin1')),
      refusals: [],
    },
    {
      name: 'docker configuration',
      samples: [text({ auths: { 'https://h/v1/': { auth: 'YTpi' }, '*.h:5000': { username: 'a', password: 'b' } } })],
      read: content => readKeyring([{ text: content.toString() }]),
      refusals: [InvalidDockerConfig],
    },
    {
      name: 'address',
      samples: [text('ghcr.io/org/app'), text('localhost:5000/a'), text('a/b')],
      read: content => parseRepository(content.toString()),
      refusals: [InvalidName],
    },
    { name: 'bundle by key', samples: [bundle()], read: refusesBundle, refusals: [] },
    {
      name: 'keyless bundle',
      samples: [publicBundle],
      read: content =>
        requireKeyless({ bundles: [content], attached: [] }, digest, {
          identities: [],
          trustedRoot: publicGoodRoot,
        }).then(() => assert.fail('taken')),
      refusals: [NotVerified],
    },
    { name: 'JWS', samples: [jws], read: onlyRight(readJws), refusals: [NotVerified] },
    { name: 'COSE', samples: [cose], read: onlyRight(readCose), refusals: [NotVerified] },
    ...evidenceTargets(),
    {
      name: 'trust policy',
      samples: [text(policy)],
      read: content => findTrustPolicy(content, 'h.example/app'),
      refusals: [NotVerified],
    },
    {
      name: 'distinguished name',
      samples: [text('C=US, ST=WA, O=a\\, b\\20, CN=\\C3\\BC')],
      read: content => parseName(content.toString()),
      refusals: [NotVerified],
    },
  ]
}

/** What openssl once said of certificates and times: damaged, it says the same, or nothing. */
const evidenceTargets = (): readonly Target[] => {
  const { madeAt, root, signer, stamped, ...rest } = opensslEvidence
  const [certificate, issuer] = [signer, root].map(pem => readCertificate(text(pem))) as [Certificate, Certificate]
  const question = { certificate, issuer, now: new Date(madeAt), signedAt: undefined }
  const refusals = [RevocationUnavailable, InvalidDer]
  const sample = (name: keyof typeof rest) => [Buffer.from(rest[name], 'base64')]
  return [
    {
      name: 'OCSP response',
      samples: sample('ocsp'),
      read: content => assert.equal(readOcspResponse(content, question), 'good'),
      refusals,
    },
    {
      name: 'list of revoked certificates',
      samples: sample('list'),
      read: content => {
        const list = readList(content)
        requireList(list, issuer, question.now)
        assert.equal(statusInLists([list], question), 'good')
      },
      refusals,
    },
    {
      name: 'timestamp token',
      samples: sample('token'),
      read: content => {
        const chain = [{ ...certificate, from: new Date(0), to: new Date(8e15) }]
        const envelope = { timestamp: content, signature: text(stamped), chain } as unknown as Envelope
        const revocation = { statusOf: async () => ({ status: 'good' }) as const }
        return requireTimestamp(envelope, { roots: [issuer], revocation, now: question.now })
      },
      refusals: [NotVerified],
    },
    {
      name: 'certificate',
      samples: [certificate.raw],
      read: content => {
        const changed = readAnyCertificate(content)
        if (changed) assert.ok(!isIssuedBy(changed, issuer) || changed.raw.equals(certificate.raw))
      },
      refusals: [InvalidDer],
    },
  ]
}
