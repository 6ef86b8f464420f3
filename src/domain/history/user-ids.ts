/** The ids of authors that are no FlagUsers. */
export const userIds = { unknownActor: -1, adminToken: -42, vexil: -1337 } as const;
