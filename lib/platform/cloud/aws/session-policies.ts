/**
 * Policies that sessions of roles are narrowed to (STS `Policy`): a session may do what both its role and this allow. The role may be
 * anybody's, with more rights than a hub has use for.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies.html#policies_session
 */

const allowing = (actions: readonly string[], resource = '*'): string =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: actions, Resource: resource }] })

/** What a hub does as a tenant's ServiceAccount: reads sources, opens SOPS keys, and finds clusters. It writes nothing. */
export const accountSessionPolicy = allowing([
  ...['ecr:GetAuthorizationToken', 'ecr:BatchCheckLayerAvailability', 'ecr:BatchGetImage'],
  ...['ecr:GetDownloadUrlForLayer', 'ecr:DescribeImages', 'ecr:ListImages'],
  ...['ecr-public:GetAuthorizationToken', 'sts:GetServiceBearerToken'],
  ...['s3:GetObject', 's3:GetObjectVersion', 's3:ListBucket', 's3:GetBucketLocation'],
  ...['codecommit:GitPull', 'kms:Decrypt', 'eks:DescribeCluster', 'sts:GetCallerIdentity'],
])

/** A role that only says who comes: tokens for EKS are signed requests to this one operation. */
export const identitySessionPolicy = allowing(['sts:GetCallerIdentity'])

/** A role that a SOPS file names for its key. A key named by an alias can't be told in a policy. */
export const decryptSessionPolicy = (keyArn: string): string =>
  allowing(['kms:Decrypt'], keyArn.includes(':key/') ? keyArn : '*')
