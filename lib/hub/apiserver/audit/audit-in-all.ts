import type { Audit } from './audit-trail.ts'

/** Records each request in all logs, under one ID. At least one. */
export const auditInAll = ([first, ...others]: readonly [Audit, ...Audit[]]): Audit => {
  if (others.length === 0) return first
  return (request, url, remote, given) => {
    const leading = first(request, url, remote, given)
    const trails = [leading, ...others.map(audit => audit(request, url, remote, leading.id))]
    const all = async (record: (trail: typeof leading) => Promise<void>): Promise<void> => {
      await Promise.all(trails.map(record))
    }
    return {
      id: leading.id,
      identified: (user, resource) => all(trail => trail.identified(user, resource)),
      impersonated: user => {
        for (const trail of trails) trail.impersonated(user)
      },
      recording: authorize => trails.reduce((decide, trail) => trail.recording(decide), authorize),
      acted: annotations => {
        for (const trail of trails) trail.acted(annotations)
      },
      responded: (response, sent) => all(trail => trail.responded(response, sent)),
    }
  }
}
