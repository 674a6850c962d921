/** Of the tokens of a hub's ServiceAccounts: ECDSA with P-256. */
export const signingAlgorithm = 'ES256'
