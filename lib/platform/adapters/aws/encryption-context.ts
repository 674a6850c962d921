/** The keys of the KMS encryption context that data keys are bound to: policies in infra/ name them. */
export const encryptionContextKeys = {
  hub: 'keelson:hub',
  purpose: 'keelson:purpose',
  namespace: 'keelson:namespace',
} as const
