import assert from 'node:assert/strict'
import { test } from 'node:test'
import { everything, full, plain, resourcesOf } from './templates.ts'

interface DistributionConfig {
  readonly Aliases: readonly string[]
  readonly ViewerCertificate: { readonly AcmCertificateArn: string }
  readonly DefaultCacheBehavior: Behavior
  readonly CacheBehaviors: readonly (Behavior & { readonly PathPattern: string })[]
  readonly CustomErrorResponses: readonly object[]
  readonly Origins: readonly { readonly Id: string }[]
}

interface Behavior {
  readonly TargetOriginId: string
  readonly CachePolicyId: string
  readonly OriginRequestPolicyId: string
  readonly ViewerProtocolPolicy: string
  readonly AllowedMethods: readonly string[]
}

test('a domain serves the API and the webhooks under one name, and caches nothing', () => {
  assert.deepEqual(resourcesOf(plain, 'AWS::CloudFront::Distribution'), [])
  const [{ Properties }] = resourcesOf(full, 'AWS::CloudFront::Distribution') as [
    { readonly Properties: { readonly DistributionConfig: DistributionConfig } },
  ]
  const { Aliases, ViewerCertificate, DefaultCacheBehavior, CacheBehaviors, CustomErrorResponses, Origins } =
    Properties.DistributionConfig
  assert.deepEqual(Aliases, [everything.domainName])
  assert.equal(ViewerCertificate.AcmCertificateArn, everything.certificateArn)
  assert.equal(CacheBehaviors.length, 1)
  assert.equal(CacheBehaviors[0]!.PathPattern, '/hook/*')
  for (const behavior of [DefaultCacheBehavior, ...CacheBehaviors]) {
    assert.equal(behavior.CachePolicyId, '4135ea2d-6df8-44a3-9df3-4b5a84be39ad', 'CachingDisabled')
    assert.equal(behavior.OriginRequestPolicyId, 'b689b0a8-53d0-40ab-baf2-68738e2966ac', 'AllViewerExceptHostHeader')
    assert.equal(behavior.ViewerProtocolPolicy, 'https-only')
    assert.ok(['DELETE', 'GET', 'PATCH', 'POST', 'PUT'].every(method => behavior.AllowedMethods.includes(method)))
  }
  const functionOf = (origin: unknown) => /Functions(api|webhook)Function/.exec(JSON.stringify(origin))?.[1]
  const originOf = ({ TargetOriginId }: Behavior) => functionOf(Origins.find(({ Id }) => Id === TargetOriginId))
  assert.deepEqual([DefaultCacheBehavior, ...CacheBehaviors].map(originOf), ['api', 'webhook'])
  // By default CloudFront caches errors for ten seconds, for all callers: also 404 for an object that exists by then, and 403.
  assert.deepEqual(
    CustomErrorResponses,
    [400, 403, 404, 405, 414, 500, 501, 502, 503, 504].map(ErrorCode => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
  )
  assert.deepEqual(
    resourcesOf(full, 'AWS::Route53::RecordSet').map(row => [row.Properties.Type, row.Properties.Name]),
    [
      ['A', 'hub.acme.example.'],
      ['AAAA', 'hub.acme.example.'],
    ],
  )
  for (const output of ['HubUrl', 'WebhookUrl']) full.hasOutput(output, { Value: 'https://hub.acme.example/' })
})
