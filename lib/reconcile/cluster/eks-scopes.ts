import type { EksScope } from '../../clusters/client/eks-directory.ts'
import { parseYaml } from '../../engines/yaml/parse.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { list, map, object, optional, text } from '../../foundations/kinds/schema/schema.ts'
import { validateSchema } from '../../foundations/kinds/schema/validate-schema.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'

/** On a Namespace: the accounts and regions whose EKS clusters become Clusters there. */
const discoverEksAnnotation = 'keelson.dev/discover-eks'

const region = text('A region.', { pattern: '^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}$' })
const role = { pattern: '^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$' }

const schema = list(
  'Accounts to discover EKS clusters in.',
  object('An account.', {
    regions: list('Regions to list.', region, { minItems: 1, maxItems: 50 }),
    roleArn: optional(text("Role to assume; the hub's own identity without it.", role)),
    externalId: optional(
      text('External ID that the trust policy of the role requires.', { minLength: 2, maxLength: 1224 }),
    ),
    tags: optional(map('Tags that clusters must have; all clusters without them.', text('Value of a tag.'))),
  }),
  { minItems: 1, maxItems: 100 },
)

export interface SelectedScope extends EksScope {
  /** Tags that clusters must have. */
  readonly tags: Readonly<Record<string, string>>
}

type Account = Omit<SelectedScope, 'region' | 'tags'> & {
  readonly regions: readonly string[]
  readonly tags?: Readonly<Record<string, string>>
}

/** The scopes that a Namespace names; none without the annotation. Fails with an error that names the annotation and the field. */
export const eksScopesOf = ({ metadata }: KubernetesObject): readonly SelectedScope[] => {
  const value = metadata.annotations?.[discoverEksAnnotation]
  if (value === undefined) return []
  const wrong = (problem: string) =>
    new Error(`annotation ${discoverEksAnnotation} of Namespace ${metadata.name}: ${problem}`)
  let documents: readonly unknown[]
  try {
    documents = parseYaml(value)
  } catch (error) {
    throw wrong(errorMessage(error))
  }
  if (documents.length !== 1 || !Array.isArray(documents[0])) throw wrong('must be a list of accounts with regions')
  const [problem] = [...validateSchema(schema, documents[0], 'accounts')]
  if (problem) throw wrong(`${problem.field}: ${problem.message}`)
  return (documents[0] as readonly Account[]).flatMap(({ regions, tags = {}, ...account }) =>
    regions.map(region => ({ ...account, region, tags })),
  )
}
