/** The default policy: records each write, and each read of a Secret by a person. */
export const defaultAuditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  # Questions, which write nothing.
  - level: None
    resources:
      - {group: authorization.k8s.io}
      - {group: authentication.k8s.io}
  # Programs read Secrets all the time.
  - level: None
    userGroups: [system:serviceaccounts]
    verbs: [get, list, watch]
  - level: Metadata
    verbs: [get, list, watch]
    resources: [{resources: [secrets]}]
  - level: Metadata
    verbs: [create, update, patch, delete, deletecollection]
`
