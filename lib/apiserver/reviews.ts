/** Questions that callers ask about themselves: created, answered at once, and never stored. */
import { badRequest, invalid } from '../hub/api-errors.ts'
import { invalid as invalidField } from '../kinds/field-error.ts'
import { answer } from './answer.ts'
import { bodyObject } from './body.ts'
import type { Authorize, User } from './caller.ts'

const authentication = 'authentication.k8s.io'
const authorization = 'authorization.k8s.io'

export const reviewResources = [
  { group: authentication, version: 'v1', plural: 'selfsubjectreviews', kind: 'SelfSubjectReview' },
  { group: authorization, version: 'v1', plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview' },
  { group: authorization, version: 'v1', plural: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview' },
] as const

type ReviewKind = (typeof reviewResources)[number]['kind']
type Spec = Readonly<Record<string, unknown>>

/** Answers a review; undefined for paths of other things. Everybody who is known may ask about himself. */
export const review = async (
  request: Request,
  url: URL,
  user: User,
  authorize: Authorize,
): Promise<Response | undefined> => {
  const resource = reviewResources.find(
    ({ group, version, plural }) => url.pathname === `/apis/${group}/${version}/${plural}`,
  )
  if (!resource || request.method !== 'POST') return undefined
  const apiVersion = `${resource.group}/${resource.version}`
  const body = await bodyObject(request, resource.kind)
  if ((body.kind ?? resource.kind) !== resource.kind)
    throw badRequest(`the kind in the data (${String(body.kind)}) does not match the expected kind (${resource.kind})`)
  const spec = (body.spec ?? {}) as Spec
  const status = await statusOf[resource.kind](spec, user, authorize)
  const isAboutSpec = resource.kind !== 'SelfSubjectReview'
  const result = { kind: resource.kind, apiVersion, metadata: {}, ...(isAboutSpec && { spec }), status }
  return answer({ request }, JSON.stringify(result), 'json', 201)
}

const statusOf: Readonly<Record<ReviewKind, (spec: Spec, user: User, authorize: Authorize) => unknown>> = {
  SelfSubjectReview: (_, { name, uid, groups, extra }) => ({
    userInfo: { username: name, ...(uid && { uid }), groups, ...(extra && { extra }) },
  }),

  SelfSubjectAccessReview: async ({ resourceAttributes, nonResourceAttributes }, user, authorize) => {
    if (!resourceAttributes === !nonResourceAttributes)
      throw invalid({ group: authorization, kind: '' }, undefined, [
        invalidField(
          'spec.resourceAttributes',
          null,
          'exactly one of nonResourceAttributes or resourceAttributes must be specified',
        ),
      ])
    const wanted = (resourceAttributes ?? nonResourceAttributes) as Readonly<Record<string, string | undefined>>
    const {
      verb = '',
      path = '',
      group = '',
      version = '',
      resource = '',
      subresource = '',
      namespace = '',
      name = '',
    } = wanted
    const asked = resourceAttributes ? { resource: { group, version, resource, subresource, namespace, name } } : {}
    const { allowed, reason } = await authorize({ user, verb, path, ...asked })
    return { allowed, ...(reason && { reason }) }
  },

  /** An authorizer can be asked, not listed: so either all is allowed, or the list is said to be incomplete. */
  SelfSubjectRulesReview: async ({ namespace = '' }, user, authorize) => {
    const anything = {
      group: '*',
      version: '*',
      resource: '*',
      subresource: '',
      namespace: String(namespace),
      name: '',
    }
    const { allowed } = await authorize({ user, verb: '*', path: '', resource: anything })
    return {
      resourceRules: allowed ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
      nonResourceRules: allowed ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
      incomplete: !allowed,
    }
  },
}
