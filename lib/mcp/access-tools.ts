/** What the caller may do. */
import * as z from 'zod'
import { kindNamed, objectTerms } from './terms.ts'
import { type Tool, tool } from './tool.ts'

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const

interface Review {
  readonly status?: { readonly allowed?: boolean; readonly reason?: string }
}

const explainAccess = tool({
  name: 'explain_access',
  title: 'Explain access',
  description:
    'Whether you may do something with an object of the hub, and which role says so. Use it after a call was refused.',
  input: z.object({
    verb: z.enum(verbs),
    kind: objectTerms.kind,
    namespace: z.string().optional().describe('All namespaces if absent.'),
    name: z.string().optional(),
  }),
  output: z.looseObject({ user: z.string(), groups: z.array(z.string()), allowed: z.boolean(), reason: z.string() }),
  run: async ({ verb, kind: word, namespace, name }, { api }) => {
    const { group, plural: resource, kind } = kindNamed(word)
    const resourceAttributes = { group, resource, verb, ...(namespace && { namespace }), ...(name && { name }) }
    const { status } = await api.post<Review>('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } },
    })
    const allowed = status?.allowed === true
    const reason = status?.reason || (allowed ? '' : 'no role of yours grants it')
    const { name: user, groups } = api.user
    const where = namespace === undefined ? 'in all namespaces' : `in the namespace ${namespace}`
    const summary = `${user} may ${allowed ? '' : 'not '}${verb} ${kind} objects ${where}.`
    return { summary, data: { user, groups: [...groups], allowed, reason } }
  },
})

export const accessTools: readonly Tool[] = [explainAccess]
