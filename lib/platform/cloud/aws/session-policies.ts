/**
 * Session policies (STS `Policy`): a session may do what both its role and the policy allow. Users choose the roles, which may have more
 * permissions than a hub needs.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies.html#policies_session
 */

const allowing = (actions: readonly string[], resource = '*'): string =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: actions, Resource: resource }] })

/** What a hub does as a tenant's ServiceAccount: fetches sources, decrypts SOPS keys and locates clusters. It writes nothing. */
export const accountSessionPolicy = allowing([
  ...['ecr:GetAuthorizationToken', 'ecr:BatchCheckLayerAvailability', 'ecr:BatchGetImage'],
  ...['ecr:GetDownloadUrlForLayer', 'ecr:DescribeImages', 'ecr:ListImages'],
  ...['ecr-public:GetAuthorizationToken', 'sts:GetServiceBearerToken'],
  ...['s3:GetObject', 's3:GetObjectVersion', 's3:ListBucket', 's3:GetBucketLocation'],
  ...['codecommit:GitPull', 'kms:Decrypt', 'eks:DescribeCluster', 'sts:GetCallerIdentity'],
])

/** For roles that only authenticate: EKS tokens are signed requests for this one operation. */
export const identitySessionPolicy = allowing(['sts:GetCallerIdentity'])

/** For roles that list the clusters of their account. */
export const discoverySessionPolicy = allowing(['eks:ListClusters', 'eks:DescribeCluster'])

/** For a role that a SOPS file names for its key. Policies can't refer to a key by an alias. */
export const decryptSessionPolicy = (keyArn: string): string =>
  allowing(['kms:Decrypt'], keyArn.includes(':key/') ? keyArn : '*')
