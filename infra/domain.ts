import { Duration, type Stack, Validations } from 'aws-cdk-lib'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  HttpVersion,
  OriginRequestPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront'
import { FunctionUrlOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import type { IFunctionUrl } from 'aws-cdk-lib/aws-lambda'
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53'
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets'
import type { HubDomain } from './context.ts'

export interface DomainOrigins {
  readonly api: IFunctionUrl
  readonly webhook: IFunctionUrl
}

/** CloudFront's read timeout of an origin; a longer one needs a quota increase. Watches end before it (functions/handlers/deadline-signal.ts). */
const originReadTimeout = Duration.seconds(60)

/** CloudFront caches these errors for ten seconds by default, for all clients, even if caching is disabled. */
const cachedErrors = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504]

/**
 * One domain name for the API and webhooks, which stays the same when the stack or the region changes: a CloudFront distribution in front of
 * both function URLs. Paths below `/hook/` don't occur in the Kubernetes API. Nothing is cached, and all headers are forwarded except Host, by
 * which Lambda finds the function.
 */
export const hubDomain = (
  stack: Stack,
  hubName: string,
  { api, webhook }: DomainOrigins,
  { domainName, certificateArn, hostedZoneId }: HubDomain,
): Distribution => {
  const behavior = (url: IFunctionUrl) => ({
    origin: new FunctionUrlOrigin(url, { readTimeout: originReadTimeout }),
    allowedMethods: AllowedMethods.ALLOW_ALL,
    cachePolicy: CachePolicy.CACHING_DISABLED,
    originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    compress: false,
  })
  const distribution = new Distribution(stack, 'Domain', {
    comment: `Keelson hub ${hubName}`,
    domainNames: [domainName],
    certificate: Certificate.fromCertificateArn(stack, 'Certificate', certificateArn),
    minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
    httpVersion: HttpVersion.HTTP2,
    defaultBehavior: behavior(api),
    additionalBehaviors: { '/hook/*': behavior(webhook) },
    errorResponses: cachedErrors.map(httpStatus => ({ httpStatus, ttl: Duration.seconds(0) })),
  })
  acknowledge(distribution)
  if (hostedZoneId !== undefined) {
    const zone = HostedZone.fromHostedZoneAttributes(stack, 'Zone', { hostedZoneId, zoneName: domainName })
    const target = RecordTarget.fromAlias(new CloudFrontTarget(distribution))
    new ARecord(stack, 'Address', { zone, target })
    new AaaaRecord(stack, 'AddressV6', { zone, target })
  }
  return distribution
}

const acknowledge = (distribution: Distribution): void => {
  const reasons = {
    'AwsSolutions-CFR1': 'Clients of a hub may be in any country.',
    'AwsSolutions-CFR2':
      'The function URLs are public as well, so a firewall here would stop nobody: the hub authenticates callers, and urlConcurrency bounds the cost of rejected requests.',
    'AwsSolutions-CFR3': 'The functions log rejected requests; an access log would cost more than the requests.',
  }
  for (const [id, reason] of Object.entries(reasons)) Validations.of(distribution).acknowledge({ id, reason })
}
